import { isDeepStrictEqual } from 'node:util';
import {
  type EncryptedSecret,
  SIGNING_SECRETS_KEPT,
  type WebhookChange,
  type WebhookRecord,
} from '../webhook-store.ts';

/*
 * What becomes of a webhook by a command. Each answers the very record that it was given where nothing changes, so that
 * a command may be sent again.
 */

/** A webhook with some settings changed. */
export function changeWebhook(
  record: WebhookRecord,
  change: WebhookChange,
  nowMs: number,
): WebhookRecord {
  const { url = record.url } = change;
  const { rateLimit = record.rateLimit, rateLimitPeriod = record.rateLimitPeriod } = change;
  const changed = { ...record, url, rateLimit, rateLimitPeriod };
  return isDeepStrictEqual(changed, record) ? record : { ...changed, updatedAtMs: nowMs };
}

/** A webhook with a new secret before the others, which retire. */
export function rotateWebhookSecret(
  record: WebhookRecord,
  { encrypted, overlapMs }: { readonly encrypted: string; readonly overlapMs: number },
  nowMs: number,
): WebhookRecord {
  // A re-sent command: the first one has done it.
  if (record.secrets[0]?.encrypted === encrypted) return record;
  const atMs = nowMs + overlapMs;
  const retired = signingSecrets(record.secrets, nowMs).map((secret) => ({
    encrypted: secret.encrypted,
    retiresAtMs: Math.min(secret.retiresAtMs ?? Number.POSITIVE_INFINITY, atMs),
  }));
  const secrets = [{ encrypted, retiresAtMs: null }, ...retired].slice(0, SIGNING_SECRETS_KEPT);
  return { ...record, secrets, updatedAtMs: nowMs };
}

/** A webhook that is enabled. */
export function enableWebhook(record: WebhookRecord, nowMs: number): WebhookRecord {
  if (record.disabledAtMs === null) return record;
  return { ...record, disabledAtMs: null, disabledReason: null, updatedAtMs: nowMs };
}

/** A webhook with one secret encrypted again, if it is as expected. */
export function reencryptWebhookSecret(
  record: WebhookRecord,
  { expected, replacement }: { readonly expected: string; readonly replacement: string },
): WebhookRecord {
  const has = (encrypted: string) =>
    record.secrets.some((secret) => secret.encrypted === encrypted);
  if (has(replacement) || !has(expected)) return record;
  const secrets = record.secrets.map((secret) =>
    secret.encrypted === expected ? { ...secret, encrypted: replacement } : secret,
  );
  return { ...record, secrets };
}

/** The secrets that have not retired; the same array if that is all of them. */
export function signingSecrets(
  secrets: readonly EncryptedSecret[],
  nowMs: number,
): readonly EncryptedSecret[] {
  const signs = ({ retiresAtMs }: EncryptedSecret) => retiresAtMs === null || retiresAtMs > nowMs;
  return secrets.every(signs) ? secrets : secrets.filter(signs);
}

/** The record without secrets that have retired by now. */
export function webhookAsOf(record: WebhookRecord, nowMs: number): WebhookRecord {
  const secrets = signingSecrets(record.secrets, nowMs);
  return secrets === record.secrets ? record : { ...record, secrets };
}

import { isDeepStrictEqual } from 'node:util';
import {
  type SealedSecret,
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
  { sealed, overlapMs }: { readonly sealed: string; readonly overlapMs: number },
  nowMs: number,
): WebhookRecord {
  // A re-sent command: the first one has done it.
  if (record.secrets[0]?.sealed === sealed) return record;
  const atMs = nowMs + overlapMs;
  const retired = signingSecrets(record.secrets, nowMs).map((secret) => ({
    sealed: secret.sealed,
    retiresAtMs: Math.min(secret.retiresAtMs ?? Number.POSITIVE_INFINITY, atMs),
  }));
  const secrets = [{ sealed, retiresAtMs: null }, ...retired].slice(0, SIGNING_SECRETS_KEPT);
  return { ...record, secrets, updatedAtMs: nowMs };
}

/** A webhook that is enabled. */
export function enableWebhook(record: WebhookRecord, nowMs: number): WebhookRecord {
  if (record.disabledAtMs === null) return record;
  return { ...record, disabledAtMs: null, disabledReason: null, updatedAtMs: nowMs };
}

/** A webhook with one secret sealed again, if it is as expected. */
export function resealWebhookSecret(
  record: WebhookRecord,
  { expected, replacement }: { readonly expected: string; readonly replacement: string },
): WebhookRecord {
  const has = (sealed: string) => record.secrets.some((secret) => secret.sealed === sealed);
  if (has(replacement) || !has(expected)) return record;
  const secrets = record.secrets.map((secret) =>
    secret.sealed === expected ? { ...secret, sealed: replacement } : secret,
  );
  return { ...record, secrets };
}

/** The secrets that have not retired; the same array if that is all of them. */
export function signingSecrets(
  secrets: readonly SealedSecret[],
  nowMs: number,
): readonly SealedSecret[] {
  const signs = ({ retiresAtMs }: SealedSecret) => retiresAtMs === null || retiresAtMs > nowMs;
  return secrets.every(signs) ? secrets : secrets.filter(signs);
}

/** The record without secrets that have retired by now. */
export function webhookAsOf(record: WebhookRecord, nowMs: number): WebhookRecord {
  const secrets = signingSecrets(record.secrets, nowMs);
  return secrets === record.secrets ? record : { ...record, secrets };
}

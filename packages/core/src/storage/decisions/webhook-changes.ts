import { isDeepStrictEqual } from 'node:util';
import {
  type EncryptedSecret,
  type NewWebhook,
  SIGNING_SECRETS_KEPT,
  type WebhookChange,
  type WebhookRecord,
} from '../webhook-store.ts';

/** The record of a new webhook, whose account has others up to `newestSequence`. */
export function newWebhookRecord(
  webhook: NewWebhook,
  newestSequence: number,
  nowMs: number,
): WebhookRecord {
  const { accountId, webhookId, event, url, rateLimit, rateLimitPeriod, encryptedSecret } = webhook;
  return {
    accountId,
    webhookId,
    event,
    url,
    rateLimit,
    rateLimitPeriod,
    // At least the time: then it grows even after the removal of the newest webhook, without a counter.
    sequence: Math.max(nowMs, newestSequence + 1),
    secrets: [{ encrypted: encryptedSecret, retiresAtMs: null }],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    disabledAtMs: null,
    disabledReason: null,
  };
}

/*
 * The changes of a webhook by commands. If nothing changes, each function returns the same object, so that nothing is
 * written for a repeated command.
 */

/** The webhook with changed settings. */
export function changeWebhook(
  record: WebhookRecord,
  change: WebhookChange,
  nowMs: number,
): WebhookRecord {
  const { url = record.url } = change;
  const { rateLimit = record.rateLimit, rateLimitPeriod = record.rateLimitPeriod } = change;
  const changedRecord = { ...record, url, rateLimit, rateLimitPeriod };
  return isDeepStrictEqual(changedRecord, record)
    ? record
    : { ...changedRecord, updatedAtMs: nowMs };
}

/** The webhook with a new current secret. The former secrets retire. */
export function rotateWebhookSecret(
  record: WebhookRecord,
  { encrypted, overlapMs }: { readonly encrypted: string; readonly overlapMs: number },
  nowMs: number,
): WebhookRecord {
  // A repeated command: the first call has rotated the secret.
  if (record.secrets[0]?.encrypted === encrypted) return record;
  const overlapEndsAtMs = nowMs + overlapMs;
  const retiringSecrets = signingSecrets(record.secrets, nowMs).map((secret) => ({
    encrypted: secret.encrypted,
    retiresAtMs: Math.min(secret.retiresAtMs ?? Number.POSITIVE_INFINITY, overlapEndsAtMs),
  }));
  const secrets = [{ encrypted, retiresAtMs: null }, ...retiringSecrets].slice(
    0,
    SIGNING_SECRETS_KEPT,
  );
  return { ...record, secrets, updatedAtMs: nowMs };
}

/** The webhook, enabled. */
export function enableWebhook(record: WebhookRecord, nowMs: number): WebhookRecord {
  if (record.disabledAtMs === null) return record;
  return { ...record, disabledAtMs: null, disabledReason: null, updatedAtMs: nowMs };
}

/** The webhook with one secret re-encrypted, if its ciphertext is the expected one. */
export function reencryptWebhookSecret(
  record: WebhookRecord,
  { expected, replacement }: { readonly expected: string; readonly replacement: string },
): WebhookRecord {
  const isStored = (encrypted: string) =>
    record.secrets.some((secret) => secret.encrypted === encrypted);
  if (isStored(replacement) || !isStored(expected)) return record;
  const secrets = record.secrets.map((secret) =>
    secret.encrypted === expected ? { ...secret, encrypted: replacement } : secret,
  );
  return { ...record, secrets };
}

/** The secrets that have not retired; the same array if none has retired. */
export function signingSecrets(
  secrets: readonly EncryptedSecret[],
  nowMs: number,
): readonly EncryptedSecret[] {
  const isSigning = ({ retiresAtMs }: EncryptedSecret) =>
    retiresAtMs === null || retiresAtMs > nowMs;
  return secrets.every(isSigning) ? secrets : secrets.filter(isSigning);
}

/** The record without retired secrets. */
export function webhookAsOf(record: WebhookRecord, nowMs: number): WebhookRecord {
  const secrets = signingSecrets(record.secrets, nowMs);
  return secrets === record.secrets ? record : { ...record, secrets };
}

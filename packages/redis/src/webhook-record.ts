import {
  DISABLED_REASONS,
  type DisabledReason,
  RATE_LIMIT_PERIODS,
  type SealedSecret,
  type WebhookChange,
  type WebhookRecord,
} from '@latchhook/core/storage';
import type { ScriptReply } from './script-reply.ts';
import { parseWebhookName } from './webhook-keyspace.ts';

/** Reads a record as `readWebhook` of the scripts answers it. */
export function parseWebhookRecord(reply: ScriptReply, nowMs: number): WebhookRecord {
  return {
    ...parseWebhookName(reply.text()),
    event: reply.text(),
    url: reply.text(),
    rateLimit: reply.integer(),
    rateLimitPeriod: reply.outcome(RATE_LIMIT_PERIODS),
    sequence: reply.integer(),
    secrets: parseSecrets(reply.text(), nowMs),
    createdAtMs: reply.integer(),
    updatedAtMs: reply.integer(),
    disabledAtMs: reply.integer() || null,
    disabledReason: parseDisabledReason(reply),
  };
}

/** Reads the answer of a script that found one webhook or none. */
export function parseFoundWebhook(reply: ScriptReply): WebhookRecord | null {
  if (reply.outcome(['found', 'unknown']) === 'unknown') return null;
  const nowMs = reply.integer();
  return parseWebhookRecord(reply.list(), nowMs);
}

export function parseDisabledReason(reply: ScriptReply): DisabledReason | null {
  return reply.outcome([...DISABLED_REASONS, '']) || null;
}

/** The fields to change with their values, as the hash has them. They are named here, so that nothing else gets in. */
export function serialiseChange({ url, rateLimit, rateLimitPeriod }: WebhookChange): string {
  const fields: Record<keyof WebhookChange, string | undefined> = {
    url,
    rateLimit: rateLimit?.toString(),
    rateLimitPeriod,
  };
  return JSON.stringify(fields);
}

/** The first secret of a webhook, as the field `secrets` of its hash. */
export function serialiseFirstSecret(sealed: string): string {
  const secrets: readonly SealedSecret[] = [{ sealed, retiresAtMs: null }];
  return JSON.stringify(secrets);
}

/** Reads the secrets that sign now. One that has retired stays in the hash until the next rotation. */
export function parseSecrets(text: string, nowMs: number): readonly SealedSecret[] {
  const secrets: unknown = JSON.parse(text);
  if (!Array.isArray(secrets)) throw new Error('Redis holds malformed secrets of a webhook.');
  return secrets
    .map(parseSecret)
    .filter(({ retiresAtMs }) => retiresAtMs === null || nowMs < retiresAtMs);
}

function parseSecret({ sealed, retiresAtMs }: Record<string, unknown>): SealedSecret {
  if (typeof sealed === 'string' && (retiresAtMs === null || typeof retiresAtMs === 'number')) {
    return { sealed, retiresAtMs };
  }
  throw new Error('Redis holds a malformed secret of a webhook.');
}

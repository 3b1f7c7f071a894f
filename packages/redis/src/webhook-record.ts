import {
  DISABLED_REASONS,
  type EncryptedSecret,
  RATE_LIMIT_PERIODS,
  type WebhookChange,
  type WebhookRecord,
  type WebhookSettings,
} from '@latchhook/core/storage';
import { defineRecord } from './define-record.ts';
import type { ScriptReply } from './script-reply.ts';
import { parseWebhookName } from './webhook-keyspace.ts';

/** A webhook, as the Lua function `readWebhook` returns it: `webhook` is its name. */
export const WEBHOOK = defineRecord({
  stored: [
    'event',
    'url',
    'rateLimit',
    'rateLimitPeriod',
    'sequence',
    'secrets',
    'createdAtMs',
    'updatedAtMs',
    'disabledAtMs',
    'disabledReason',
  ],
  added: ['webhook'],
});

export function parseWebhookRecord(reply: ScriptReply, nowMs: number): WebhookRecord {
  const { at } = WEBHOOK;
  return {
    event: reply.at(at.event).text(),
    url: reply.at(at.url).text(),
    rateLimit: reply.at(at.rateLimit).integer(),
    rateLimitPeriod: reply.at(at.rateLimitPeriod).outcome(RATE_LIMIT_PERIODS),
    sequence: reply.at(at.sequence).integer(),
    secrets: parseSecrets(reply.at(at.secrets).text(), nowMs),
    createdAtMs: reply.at(at.createdAtMs).integer(),
    updatedAtMs: reply.at(at.updatedAtMs).integer(),
    disabledAtMs: reply.at(at.disabledAtMs).orNull()?.integer() ?? null,
    disabledReason: reply.at(at.disabledReason).orNull()?.outcome(DISABLED_REASONS) ?? null,
    ...parseWebhookName(reply.at(at.webhook).text()),
  };
}

/** Reads the reply of a script that looks up one webhook. */
export function parseFoundWebhook(reply: ScriptReply): WebhookRecord | null {
  if (reply.outcome(['found', 'unknown']) === 'unknown') return null;
  const nowMs = reply.integer();
  return parseWebhookRecord(reply.list(), nowMs);
}

/**
 * Serialises the fields to change with their values, as they are stored in the hash. Each field is named, so that
 * nothing else is stored.
 */
export function serialiseChange({ url, rateLimit, rateLimitPeriod }: WebhookChange): string {
  const fields: Record<keyof WebhookSettings, string | undefined> = {
    url,
    rateLimit: rateLimit?.toString(),
    rateLimitPeriod,
  };
  return JSON.stringify(fields);
}

/** Serialises the first secret of a webhook for the field `secrets` of its hash. */
export function serialiseFirstSecret(encrypted: string): string {
  const secrets: readonly EncryptedSecret[] = [{ encrypted, retiresAtMs: null }];
  return JSON.stringify(secrets);
}

/** Reads the current signing secrets. A retired one stays in the hash until the next rotation. */
export function parseSecrets(text: string, nowMs: number): readonly EncryptedSecret[] {
  const secrets: unknown = JSON.parse(text);
  if (!Array.isArray(secrets)) throw new Error('Redis holds malformed secrets of a webhook.');
  return secrets
    .map(parseSecret)
    .filter(({ retiresAtMs }) => retiresAtMs === null || nowMs < retiresAtMs);
}

function parseSecret({ encrypted, retiresAtMs }: Record<string, unknown>): EncryptedSecret {
  if (typeof encrypted === 'string' && (retiresAtMs === null || typeof retiresAtMs === 'number')) {
    return { encrypted, retiresAtMs };
  }
  throw new Error('Redis holds a malformed secret of a webhook.');
}

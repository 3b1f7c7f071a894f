import {
  DISABLED_REASONS,
  type DisabledReason,
  type EncryptedSecret,
  RATE_LIMIT_PERIODS,
  type WebhookRecord,
} from '@latchhook/core/storage';
import type { FunctionAnswer } from './function-answer.ts';
import { storedText } from './storable-text.ts';

/** Parses the result of `webhook_record`. */
export function parseWebhookRecord(answer: FunctionAnswer): WebhookRecord {
  return {
    accountId: answer.account('accountId'),
    webhookId: storedText(answer.text('webhookId')),
    event: answer.text('event'),
    ...parseTarget(answer),
    rateLimit: answer.integer('rateLimit'),
    rateLimitPeriod: answer.oneOf('rateLimitPeriod', RATE_LIMIT_PERIODS),
    sequence: answer.integer('sequence'),
    createdAtMs: answer.integer('createdAtMs'),
    updatedAtMs: answer.integer('updatedAtMs'),
    disabledAtMs: answer.integerOrNull('disabledAtMs'),
    disabledReason: parseDisabledReason(answer, 'disabledReason'),
  };
}

export function parseWebhookOrNull(answer: FunctionAnswer): WebhookRecord | null {
  const webhook = answer.objectOrNull('webhook');
  return webhook && parseWebhookRecord(webhook);
}

/** Parses the URL and the secrets of a webhook, which are needed to send to it. */
export function parseTarget(answer: FunctionAnswer): Pick<WebhookRecord, 'url' | 'secrets'> {
  return { url: answer.text('url'), secrets: answer.list('secrets').map(parseSecret) };
}

function parseDisabledReason(answer: FunctionAnswer, name: string): DisabledReason | null {
  return answer.textOrNull(name) === null ? null : answer.oneOf(name, DISABLED_REASONS);
}

function parseSecret(answer: FunctionAnswer): EncryptedSecret {
  return { encrypted: answer.text('encrypted'), retiresAtMs: answer.integerOrNull('retiresAtMs') };
}

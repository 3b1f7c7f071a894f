import {
  type DeliveryRef,
  DISABLED_REASONS,
  type DisabledReason,
  type EncryptedSecret,
  RATE_LIMIT_PERIODS,
  type WebhookRecord,
  type WebhookRef,
} from '@latchhook/core/storage';
import type { FunctionResult } from './function-result.ts';
import { storedText } from './storable-text.ts';

/** Parses the result of `webhook_record`. */
export function parseWebhookRecord(result: FunctionResult): WebhookRecord {
  return {
    event: result.text('event'),
    rateLimit: result.integer('rateLimit'),
    rateLimitPeriod: result.oneOf('rateLimitPeriod', RATE_LIMIT_PERIODS),
    sequence: result.integer('sequence'),
    createdAtMs: result.integer('createdAtMs'),
    updatedAtMs: result.integer('updatedAtMs'),
    disabledAtMs: result.integerOrNull('disabledAtMs'),
    disabledReason: parseDisabledReason(result, 'disabledReason'),
    ...parseWebhookRef(result),
    ...parseTarget(result),
  };
}

export function parseWebhookRef(result: FunctionResult): WebhookRef {
  return {
    accountId: result.account('accountId'),
    webhookId: storedText(result.text('webhookId')),
  };
}

export function parseDeliveryRef(result: FunctionResult): DeliveryRef {
  return { deliveryId: storedText(result.text('deliveryId')), ...parseWebhookRef(result) };
}

export function parseWebhookOrNull(result: FunctionResult): WebhookRecord | null {
  const webhook = result.objectOrNull('webhook');
  return webhook && parseWebhookRecord(webhook);
}

/** Parses the URL and the secrets of a webhook, which are needed to send to it. */
export function parseTarget(result: FunctionResult): Pick<WebhookRecord, 'url' | 'secrets'> {
  return { url: result.text('url'), secrets: result.list('secrets').map(parseSecret) };
}

function parseDisabledReason(result: FunctionResult, name: string): DisabledReason | null {
  return result.textOrNull(name) === null ? null : result.oneOf(name, DISABLED_REASONS);
}

function parseSecret(result: FunctionResult): EncryptedSecret {
  return { encrypted: result.text('encrypted'), retiresAtMs: result.integerOrNull('retiresAtMs') };
}

import type { ClaimRequest } from '../../delivery-store.ts';
import type { NewMessage } from '../../new-message.ts';
import type { NewWebhook } from '../../webhook-store.ts';

export const CLAIM: ClaimRequest = {
  limit: 10,
  leaseMs: 20_000,
  rateMarginMs: 0,
  maxStalledAttempts: 5,
  maxInFlightPerWebhook: 10,
  maxInFlightPerAccount: 10,
};

export function newWebhook(webhookId: string, accountId = 1): NewWebhook {
  return {
    accountId,
    webhookId,
    event: 'A.B',
    url: 'https://receiver.example/',
    rateLimit: 5_000,
    rateLimitPeriod: 'second',
    encryptedSecret: 'encrypted',
  };
}

/** A message for all webhooks of the account. */
export function newMessage(messageId: string, change: Partial<NewMessage> = {}): NewMessage {
  return {
    accountId: 1,
    messageId,
    event: 'A.B',
    body: '{}',
    webhookId: null,
    idempotencyKey: null,
    idempotencyMs: 1_000,
    retentionMs: 3_600_000,
    maxQueued: 5_000,
    ...change,
  };
}

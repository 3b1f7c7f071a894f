import type {
  DeliveryRef,
  NewMessage,
  NewWebhook,
  Storage,
  WebhookRecord,
  WebhookStore,
} from '@latchhook/core/storage';

export const DAY_MS = 86_400_000;

export const ACCOUNT_ID = 7;

export const LIMITS = { maxPerAccount: 100 } as const;

/** The parts of a storage for webhooks. */
export type WebhookStorage = Required<Pick<Storage, 'webhooks' | 'deliveries'>>;

export function withWebhooks({ webhooks, deliveries }: Storage): WebhookStorage {
  if (webhooks === undefined || deliveries === undefined) throw new Error('no store of webhooks');
  return { webhooks, deliveries };
}

export function newWebhook(webhookId: string, change: Partial<NewWebhook> = {}): NewWebhook {
  return {
    accountId: ACCOUNT_ID,
    webhookId,
    event: 'Contact.Added',
    url: 'https://receiver.example/hooks',
    rateLimit: 50,
    rateLimitPeriod: 'second',
    encryptedSecret: 'encrypted-1',
    ...change,
  };
}

/** Registers a webhook, and expects success. */
export async function register(
  webhooks: WebhookStore,
  webhookId: string,
  change: Partial<NewWebhook> = {},
): Promise<WebhookRecord> {
  const result = await webhooks.create(newWebhook(webhookId, change), LIMITS);
  if (result.outcome !== 'created')
    throw new Error(`${webhookId} is not created: ${result.outcome}`);
  return result.webhook;
}

export function newMessage(messageId: string, change: Partial<NewMessage> = {}): NewMessage {
  return {
    accountId: ACCOUNT_ID,
    messageId,
    event: 'Contact.Added',
    body: `{"id":"${messageId}"}`,
    webhookId: null,
    idempotencyKey: null,
    idempotencyMs: DAY_MS,
    retentionMs: 7 * DAY_MS,
    maxQueued: 1000,
    ...change,
  };
}

export function deliveryTo(webhookId: string, deliveryId: string): DeliveryRef {
  return { accountId: ACCOUNT_ID, webhookId, deliveryId };
}

import type {
  DeliveryRef,
  FinishRequest,
  NewMessage,
  NewWebhook,
  StartRequest,
  Storage,
  Verdict,
  WebhookRecord,
  WebhookStore,
} from '@latchhook/core/storage';

export const DAY_MS = 86_400_000;

export const ACCOUNT_ID = 7;

export const LIMITS = { maxPerAccount: 100 } as const;

/** A storage that has everything for webhooks. */
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
    sealedSecret: 'sealed-1',
    ...change,
  };
}

/** Registers a webhook; it has to succeed. */
export async function register(
  webhooks: WebhookStore,
  webhookId: string,
  change: Partial<NewWebhook> = {},
): Promise<WebhookRecord> {
  const answer = await webhooks.create(newWebhook(webhookId, change), LIMITS);
  if (answer.outcome !== 'created')
    throw new Error(`${webhookId} is not created: ${answer.outcome}`);
  return answer.webhook;
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
    rateMarginMs: 0,
    ...change,
  };
}

export function deliveryTo(webhookId: string, deliveryId: string): DeliveryRef {
  return { accountId: ACCOUNT_ID, webhookId, deliveryId };
}

export function starting(ref: DeliveryRef, change: Partial<StartRequest> = {}): StartRequest {
  return {
    ...ref,
    run: 1,
    leaseMs: 20_000,
    maxInFlight: 100,
    maxLostAttempts: 5,
    rateMarginMs: 0,
    withdrawnStartAtMs: null,
    ...change,
  };
}

export function finishing(
  ref: DeliveryRef,
  attempt: number,
  verdict: Verdict,
  change: Partial<FinishRequest> = {},
): FinishRequest {
  const status = verdict.kind === 'delivered' ? 200 : 500;
  const error = verdict.kind === 'delivered' ? null : 'status';
  const result = { status, durationMs: 12, error, response: null };
  return {
    ...ref,
    attempt,
    result,
    verdict,
    disableAfterMs: 5 * DAY_MS,
    pauseMs: 0,
    maxInFlight: 10,
    ...change,
  };
}

export const DELIVERED: Verdict = { kind: 'delivered' };

export function retryAfter(delayMs: number): Verdict {
  return { kind: 'retry', delayMs };
}

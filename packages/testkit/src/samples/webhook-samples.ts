import type {
  AttemptResult,
  DeliveryRef,
  FinishRequest,
  NewMessage,
  NewWebhook,
  StartRequest,
  Verdict,
  WebhookChange,
  WebhookRef,
  WebhookSettings,
} from '@latchhook/core/storage';
import { DAY_MS } from './login-samples.ts';

export const SECOND_MS = 1_000;

/** The account of every claim that needs only one. */
export const ACCOUNT_ID = 7;

/** The event of all sample webhooks. */
export const EVENT = 'Contact.Added';

/** Limits and times that only claims about them reach. */
export const POLICY = {
  maxPerAccount: 100,
  idempotencyMs: DAY_MS,
  retentionMs: 30 * DAY_MS,
  maxQueued: 10_000,
  maxInFlight: 100,
  leaseMs: 30 * SECOND_MS,
  maxLostAttempts: 5,
  rateMarginMs: 200,
  disableAfterMs: 5 * DAY_MS,
} as const;

export const DELIVERED: Verdict = { kind: 'delivered' };
export const EXHAUSTED: Verdict = { kind: 'dead', reason: 'exhausted' };
export const GONE: Verdict = { kind: 'dead', reason: 'gone' };

export function retryAfter(delayMs: number): Verdict {
  return { kind: 'retry', delayMs };
}

export function excusedFor(delayMs: number): Verdict {
  return { kind: 'excused', delayMs };
}

/** A webhook with a rate that only claims about the rate reach. */
export function newWebhook(webhookId: string, change: Partial<NewWebhook> = {}): NewWebhook {
  return {
    accountId: ACCOUNT_ID,
    webhookId,
    event: EVENT,
    url: 'https://receiver.example.com/hooks?to="ünï"&token=%20',
    rateLimit: 5_000,
    rateLimitPeriod: 'second',
    sealedSecret: `sealed secret of ${webhookId}`,
    ...change,
  };
}

/** A change of each setting: none is as `newWebhook` has it. */
export const CHANGES: WebhookSettings = {
  url: 'https://receiver.example.com/elsewhere',
  rateLimit: 3,
  rateLimitPeriod: 'minute',
};

export const SETTING_NAMES = Object.keys(CHANGES) as readonly (keyof WebhookSettings)[];

/** Some settings of a webhook, as a change of it. */
export function settingsOf(
  settings: WebhookSettings,
  names: readonly (keyof WebhookSettings)[],
): WebhookChange {
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as WebhookChange;
}

/** A message for all of the account's webhooks for the event. */
export function newMessage(messageId: string, change: Partial<NewMessage> = {}): NewMessage {
  const { idempotencyMs, retentionMs, maxQueued, rateMarginMs } = POLICY;
  return {
    accountId: ACCOUNT_ID,
    messageId,
    event: EVENT,
    body: `{"id":"${messageId}","data":{"name":"ünï \u{1F512}","html":"\\u003c/"}}`,
    webhookId: null,
    idempotencyKey: null,
    idempotencyMs,
    retentionMs,
    maxQueued,
    rateMarginMs,
    ...change,
  };
}

/** The delivery of a message to a webhook. */
export function deliveryTo({ accountId, webhookId }: WebhookRef, deliveryId: string): DeliveryRef {
  return { accountId, webhookId, deliveryId };
}

/** The request that an engine makes when it is time: of the first run, unless the delivery says another. */
export function starting(
  delivery: DeliveryRef & { readonly run?: number },
  change: Partial<StartRequest> = {},
): StartRequest {
  const { accountId, webhookId, deliveryId, run = 1 } = delivery;
  const { leaseMs, maxInFlight, maxLostAttempts, rateMarginMs } = POLICY;
  return {
    accountId,
    webhookId,
    deliveryId,
    run,
    leaseMs,
    maxInFlight,
    maxLostAttempts,
    rateMarginMs,
    withdrawnStartAtMs: null,
    ...change,
  };
}

/** The result of an attempt that was answered with this status. */
export function answered(status: number): AttemptResult {
  const isGood = status >= 200 && status < 300;
  return { status, durationMs: 120, error: isGood ? null : 'status', response: `answer ${status}` };
}

export function finishing(
  { accountId, webhookId, deliveryId }: DeliveryRef,
  attempt: number,
  verdict: Verdict,
  change: Partial<FinishRequest> = {},
): FinishRequest {
  return {
    accountId,
    webhookId,
    deliveryId,
    attempt,
    result: answered(verdict.kind === 'delivered' ? 200 : 500),
    verdict,
    disableAfterMs: POLICY.disableAfterMs,
    pauseMs: 0,
    maxInFlight: POLICY.maxInFlight,
    ...change,
  };
}

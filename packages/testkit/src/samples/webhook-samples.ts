import type {
  DeliveryRef,
  NewMessage,
  NewWebhook,
  WebhookChange,
  WebhookRef,
  WebhookSettings,
} from '@latchhook/core/storage';
import { DAY_MS } from './login-samples.ts';

export const SECOND_MS = 1_000;

/** The account of every test case that needs only one. */
export const ACCOUNT_ID = 7;

/** The event of all sample webhooks. */
export const EVENT = 'Contact.Added';

/** Limits and times that only the test cases of these limits and times reach. */
export const POLICY = {
  maxPerAccount: 100,
  idempotencyMs: DAY_MS,
  retentionMs: 30 * DAY_MS,
  maxQueued: 10_000,
  leaseMs: 30 * SECOND_MS,
  maxStalledAttempts: 5,
  rateMarginMs: 200,
  disableAfterMs: 5 * DAY_MS,
} as const;

/** For how long a claimed attempt counts towards a rate per second. */
export const RATE_WINDOW_MS: number = SECOND_MS + POLICY.rateMarginMs;

/** A webhook with a rate that only the test cases of the rate reach. */
export function newWebhook(webhookId: string, change: Partial<NewWebhook> = {}): NewWebhook {
  return {
    accountId: ACCOUNT_ID,
    webhookId,
    event: EVENT,
    url: 'https://receiver.example.com/hooks?to="ünï"&token=%20',
    rateLimit: 5_000,
    rateLimitPeriod: 'second',
    encryptedSecret: `encrypted secret of ${webhookId}`,
    ...change,
  };
}

/** A change of every setting to another value than in `newWebhook`. */
export const CHANGES: WebhookSettings = {
  url: 'https://receiver.example.com/elsewhere',
  rateLimit: 3,
  rateLimitPeriod: 'minute',
};

export const SETTING_NAMES = Object.keys(CHANGES) as readonly (keyof WebhookSettings)[];

/** A change of the named settings. */
export function settingsOf(
  settings: WebhookSettings,
  names: readonly (keyof WebhookSettings)[],
): WebhookChange {
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as WebhookChange;
}

/** A message for all of the account's webhooks for the event. */
export function newMessage(messageId: string, change: Partial<NewMessage> = {}): NewMessage {
  const { idempotencyMs, retentionMs, maxQueued } = POLICY;
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
    ...change,
  };
}

/** The delivery of a message to a webhook. */
export function deliveryTo({ accountId, webhookId }: WebhookRef, deliveryId: string): DeliveryRef {
  return { accountId, webhookId, deliveryId };
}

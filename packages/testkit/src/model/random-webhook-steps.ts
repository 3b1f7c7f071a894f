import type { WebhookChange, WebhookSettings } from '@latchhook/core/storage';
import type { WebhookStores } from '../fixtures/webhook-fixture.ts';
import { MINUTE_MS } from '../samples/login-samples.ts';
import {
  CHANGES,
  EVENT,
  newWebhook,
  SETTING_NAMES,
  settingsOf,
} from '../samples/webhook-samples.ts';
import type { Step } from './assert-same-steps.ts';
import type { RandomTargets } from './random-targets.ts';

export type WebhookStep = Step<WebhookStores>;

/** Most steps have the same event, so that most messages match a webhook. */
export const EVENTS = [EVENT, EVENT, EVENT, 'Contact.Removed'];

/** So low that random steps reach the limit. */
const LIMITS = { maxPerAccount: 4 };

/** Registers a webhook, or repeats the command for an existing webhook. */
export async function registerWebhook(targets: RandomTargets): Promise<WebhookStep> {
  const isRepeated = targets.random() < 0.2;
  const existing = await targets.pickWebhook();
  const webhook = newWebhook(isRepeated ? existing.webhookId : `w${targets.webhooks.length}`, {
    event: targets.pick(EVENTS),
    rateLimit: targets.pick([1, 3, 20]),
    rateLimitPeriod: targets.pick(['second', 'second', 'minute']),
  });
  if (!isRepeated) targets.webhooks.push(webhook);
  return {
    name: `register ${webhook.webhookId}`,
    apply: ({ webhooks }) => webhooks.create(webhook, LIMITS),
  };
}

/** Changes, enables or removes a webhook. */
export async function touchWebhook(targets: RandomTargets): Promise<WebhookStep> {
  const ref = await targets.pickWebhook();
  const settings = randomChange(targets);
  const change: WebhookStep = {
    name: `change ${ref.webhookId}`,
    apply: ({ webhooks }) => webhooks.change(ref, settings),
  };
  const enable: WebhookStep = {
    name: `enable ${ref.webhookId}`,
    apply: ({ webhooks }) => webhooks.enable(ref),
  };
  const secret = { encrypted: `secret ${targets.pick([1, 2, 3, 4, 5, 6])}`, overlapMs: MINUTE_MS };
  return targets.pick<WebhookStep>([
    // Twice as often, because a change has the most variants, and must meet disabled webhooks too.
    change,
    change,
    {
      name: `rotate ${ref.webhookId}`,
      apply: ({ webhooks }) => webhooks.rotateSecret(ref, secret),
    },
    enable,
    targets.random() < 0.3
      ? { name: `remove ${ref.webhookId}`, apply: ({ webhooks }) => webhooks.remove(ref) }
      : enable,
  ]);
}

/** Changes at least one setting: the contract leaves open whether an empty change counts as an update. */
function randomChange(targets: RandomTargets): WebhookChange {
  const settings: WebhookSettings = {
    url: targets.pick([newWebhook('any').url, CHANGES.url]),
    rateLimit: targets.pick([1, 2, 5, 20]),
    rateLimitPeriod: targets.pick(['second', 'second', 'minute']),
  };
  const first = targets.pick(SETTING_NAMES);
  const names = SETTING_NAMES.filter((name) => name === first || targets.random() < 0.5);
  return settingsOf(settings, names);
}

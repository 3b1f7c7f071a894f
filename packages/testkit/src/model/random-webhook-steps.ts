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
import type { RandomTargets } from './random-targets.ts';

/** One call of a store, or a wait before the next one. */
export type WebhookStep =
  | { readonly name: string; readonly apply: (stores: WebhookStores) => unknown }
  | { readonly name: 'wait'; readonly ms: number };

/** Most are for the event of most webhooks. */
export const EVENTS = [EVENT, EVENT, EVENT, 'Contact.Removed'];

/** Low, so that random steps reach it. */
const LIMITS = { maxPerAccount: 4 };

/** Registers a webhook, or sends the command again. */
export async function registerWebhook(targets: RandomTargets): Promise<WebhookStep> {
  const isAgain = targets.random() < 0.2;
  const known = await targets.webhook();
  const webhook = newWebhook(isAgain ? known.webhookId : `w${targets.webhooks.length}`, {
    event: targets.pick(EVENTS),
    rateLimit: targets.pick([1, 3, 20]),
    rateLimitPeriod: targets.pick(['second', 'second', 'minute']),
  });
  if (!isAgain) targets.webhooks.push(webhook);
  return {
    name: `register ${webhook.webhookId}`,
    apply: ({ webhooks }) => webhooks.create(webhook, LIMITS),
  };
}

/** Changes, enables or removes a webhook. */
export async function touchWebhook(targets: RandomTargets): Promise<WebhookStep> {
  const ref = await targets.webhook();
  const settings = randomChange(targets);
  const change: WebhookStep = {
    name: `change ${ref.webhookId}`,
    apply: ({ webhooks }) => webhooks.change(ref, settings),
  };
  const secret = { encrypted: `secret ${targets.pick([1, 2, 3, 4, 5, 6])}`, overlapMs: MINUTE_MS };
  return targets.pick<WebhookStep>([
    // Twice, since a change has the most to vary, and must meet webhooks that are disabled, too.
    change,
    change,
    {
      name: `rotate ${ref.webhookId}`,
      apply: ({ webhooks }) => webhooks.rotateSecret(ref, secret),
    },
    { name: `enable ${ref.webhookId}`, apply: ({ webhooks }) => webhooks.enable(ref) },
    targets.random() < 0.3
      ? { name: `remove ${ref.webhookId}`, apply: ({ webhooks }) => webhooks.remove(ref) }
      : { name: `enable ${ref.webhookId}`, apply: ({ webhooks }) => webhooks.enable(ref) },
  ]);
}

/** Changes at least one setting: whether an empty change counts as an update is left open. */
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

import type { WebhookChange } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { SETTING_NAMES } from '../samples/webhook-samples.ts';
import { openReference } from '../self-test/reference.ts';
import { turnableClock } from '../time/turnable-clock.ts';
import { RandomTargets } from './random-targets.ts';
import { touchWebhook } from './random-webhook-steps.ts';

it('touchWebhook() changes each setting of a webhook, separately and together with others', async () => {
  const stores = openReference(turnableClock());
  const changes: WebhookChange[] = [];
  const change: typeof stores.webhooks.change = (ref, settings) => {
    changes.push(settings);
    return stores.webhooks.change(ref, settings);
  };
  const targets = new RandomTargets(1, stores);
  for (let i = 0; i < 200; i += 1) {
    const step = await touchWebhook(targets);
    if ('apply' in step) await step.apply({ ...stores, webhooks: { ...stores.webhooks, change } });
  }
  const changedNames = changes.map((settings) => Object.keys(settings));
  expect(changedNames).not.toContainEqual([]);
  for (const name of SETTING_NAMES) {
    expect(changedNames).toContainEqual([name]);
    expect(changedNames.some((names) => names.length > 1 && names.includes(name))).toBe(true);
  }
});

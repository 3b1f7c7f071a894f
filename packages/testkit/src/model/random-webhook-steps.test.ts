import type { WebhookChange } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { SETTING_NAMES } from '../samples/webhook-samples.ts';
import { soundStores } from '../self-test/faulty-webhooks.ts';
import { turnableClock } from '../time/turnable-clock.ts';
import { RandomTargets } from './random-targets.ts';
import { touchWebhook } from './random-webhook-steps.ts';

it('random steps change each setting of a webhook, alone and with others', async () => {
  const stores = soundStores(turnableClock());
  const changes: WebhookChange[] = [];
  const change: typeof stores.webhooks.change = (ref, given) => {
    changes.push(given);
    return stores.webhooks.change(ref, given);
  };
  const targets = new RandomTargets(1, stores);
  for (let i = 0; i < 200; i += 1) {
    const step = await touchWebhook(targets);
    if ('apply' in step) await step.apply({ ...stores, webhooks: { ...stores.webhooks, change } });
  }
  const given = changes.map((each) => Object.keys(each));
  expect(given).not.toContainEqual([]);
  for (const name of SETTING_NAMES) {
    expect(given).toContainEqual([name]);
    expect(given.some((names) => names.length > 1 && names.includes(name))).toBe(true);
  }
});

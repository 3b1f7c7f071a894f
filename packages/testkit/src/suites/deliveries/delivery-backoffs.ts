import assert from 'node:assert/strict';
import type { AttemptOutcome } from '@latchhook/core/storage';
import {
  claimAll,
  claimOnce,
  claimSingle,
  complete,
  EXHAUSTED,
  names,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import type { Suite } from '../../suite.ts';

export const deliveryBackoffs: Suite<WebhookFixture> = {
  name: 'deliveries: backoffs',
  cases: {
    'claims no delivery of a webhook in backoff, but claims deliveries of other webhooks': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await register(webhooks, 'w2');
      await publishAll(deliveries, 3, { webhookId: 'w1' });
      const [first, second, third] = await claimAll(deliveries);
      assert.ok(first && second && third);
      clock.advance(100);
      const later: AttemptOutcome = { kind: 'not_counted', delayMs: 10_000 };
      await complete(deliveries, [first], later, { backoffMs: 2_000 });
      await complete(deliveries, [second], retryIn(1_000), { backoffMs: 500 });
      await complete(deliveries, [third], retryIn(1_000));
      await publishOne(deliveries, 'n1', { webhookId: 'w1' });
      await publishOne(deliveries, 'n2', { webhookId: 'w2' });
      assert.deepEqual(names(await claimAll(deliveries)), ['n2']);
      assert.equal((await claimOnce(deliveries)).nextInMs, 2_000);
      clock.advance(1_999);
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(1);
      assert.deepEqual(names(await claimAll(deliveries)).toSorted(), ['m2', 'm3', 'n1']);
    },

    'ends a backoff only when the webhook is enabled or its URL changes': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      await complete(deliveries, await claimAll(deliveries), EXHAUSTED, { backoffMs: 60_000 });
      await publishOne(deliveries, 'n1');
      await webhooks.change(ref, { rateLimit: 10 });
      await deliveries.redeliver({ ...ref, deliveryId: 'm1' });
      assert.deepEqual(await claimAll(deliveries), []);
      const url = 'https://elsewhere.example.com/';
      await webhooks.change(ref, { url });
      const attempts = await claimAll(deliveries);
      assert.deepEqual(
        attempts.map(({ webhook }) => webhook.url),
        [url, url],
      );
      await complete(deliveries, attempts, EXHAUSTED, { backoffMs: 60_000 });
      await publishOne(deliveries, 'n2');
      await webhooks.enable(ref);
      assert.equal((await claimSingle(deliveries)).deliveryId, 'n2');
    },
  },
};

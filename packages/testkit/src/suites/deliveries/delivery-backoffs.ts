import assert from 'node:assert/strict';
import type { AttemptOutcome } from '@latchhook/core/storage';
import {
  claimAll,
  claimOnce,
  claimSingle,
  completeAttempts,
  deliveryIds,
  EXHAUSTED,
  publishAll,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import { SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const BACKOFF_MS = 2 * SECOND_MS;
/** The backoff of another attempt, which ends earlier. */
export const SHORTER_BACKOFF_MS = 500;

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
      const notCounted: AttemptOutcome = { kind: 'not_counted', delayMs: 10 * SECOND_MS };
      await completeAttempts(deliveries, [first], notCounted, { backoffMs: BACKOFF_MS });
      await completeAttempts(deliveries, [second], retryIn(SECOND_MS), {
        backoffMs: SHORTER_BACKOFF_MS,
      });
      await completeAttempts(deliveries, [third], retryIn(SECOND_MS));
      await publishOne(deliveries, 'n1', { webhookId: 'w1' });
      await publishOne(deliveries, 'n2', { webhookId: 'w2' });
      assert.deepEqual(deliveryIds(await claimAll(deliveries)), ['n2']);
      assert.equal((await claimOnce(deliveries)).nextInMs, BACKOFF_MS);
      clock.advance(BACKOFF_MS - 1);
      assert.deepEqual(await claimAll(deliveries), []);
      clock.advance(1);
      assert.deepEqual(deliveryIds(await claimAll(deliveries)).toSorted(), ['m2', 'm3', 'n1']);
    },

    'ends a backoff only when the webhook is enabled or its URL changes': async ({
      webhooks,
      deliveries,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 1);
      await completeAttempts(deliveries, await claimAll(deliveries), EXHAUSTED, {
        backoffMs: MINUTE_MS,
      });
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
      await completeAttempts(deliveries, attempts, EXHAUSTED, { backoffMs: MINUTE_MS });
      await publishOne(deliveries, 'n2');
      await webhooks.enable(ref);
      assert.equal((await claimSingle(deliveries)).deliveryId, 'n2');
    },
  },
};

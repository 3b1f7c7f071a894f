import assert from 'node:assert/strict';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { EXHAUSTED, notCounted, retryIn } from '../../samples/attempt-samples.ts';
import { MINUTE_MS } from '../../samples/login-samples.ts';
import { SECOND_MS } from '../../samples/webhook-samples.ts';

const BACKOFF_MS = 2 * SECOND_MS;
/** The backoff of another attempt, which ends earlier. */
export const SHORTER_BACKOFF_MS = 500;

export const deliveryBackoffs = webhookSuite('deliveries: backoffs', {
  'claims deliveries of other webhooks, but none of a webhook in backoff': async (t) => {
    await t.register('w1');
    await t.register('w2');
    await t.publishAll(3, { webhookId: 'w1' });
    const [first, second, third] = await t.claimExactly(3);
    // A backoff counts from the completion, not from the claim.
    t.clock.advance(100);
    // The longer of both backoffs applies.
    await t.complete([first], notCounted(10 * SECOND_MS), { backoffMs: BACKOFF_MS });
    await t.complete([second], retryIn(SECOND_MS), { backoffMs: SHORTER_BACKOFF_MS });
    await t.complete([third], retryIn(SECOND_MS));
    await t.publishOne('n1', { webhookId: 'w1' });
    await t.publishOne('n2', { webhookId: 'w2' });
    assert.deepEqual(deliveryIds(await t.claimAll()), ['n2']);
    assert.equal((await t.claimOnce()).nextInMs, BACKOFF_MS);
    await t.elapseCheckingJustBefore(BACKOFF_MS, () => t.claimNothing());
    assert.deepEqual(deliveryIds(await t.claimAll()).toSorted(), ['m2', 'm3', 'n1']);
  },

  'ends a backoff only on enable() and on a change of the URL': async (t) => {
    const ref = await t.registerWithMessages(1);
    await t.complete(await t.claimAll(), EXHAUSTED, { backoffMs: MINUTE_MS });
    await t.publishOne('n1');
    // Neither another change nor a redelivery ends it.
    await t.webhooks.change(ref, { rateLimit: 10 });
    await t.redeliver(ref, 'm1');
    await t.claimNothing();
    const url = 'https://elsewhere.example.com/';
    await t.webhooks.change(ref, { url });
    const attempts = await t.claimAll();
    assert.deepEqual(
      attempts.map(({ webhook }) => webhook.url),
      [url, url],
    );
    await t.complete(attempts, EXHAUSTED, { backoffMs: MINUTE_MS });
    await t.publishOne('n2');
    // The webhook was never disabled.
    await t.webhooks.enable(ref);
    assert.equal((await t.claimSingle()).deliveryId, 'n2');
  },
});

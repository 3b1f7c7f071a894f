import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { assertFound } from '../../actions/webhook-results.ts';
import { PROCESSES } from '../../fixtures/fixture.ts';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { seededRandom } from '../../model/seeded-random.ts';
import {
  CLAIM,
  DELIVERED,
  EXHAUSTED,
  GONE,
  notStartedEnd,
  retryIn,
} from '../../samples/attempt-samples.ts';
import { HOUR_MS, MINUTE_MS } from '../../samples/login-samples.ts';
import { RATE_WINDOW_MS, SECOND_MS } from '../../samples/webhook-samples.ts';

export const deliveryRate = webhookSuite('deliveries: rate', {
  'claims no more than rateLimit over all connections together': async (t) => {
    await t.registerWithMessages(40, { rateLimit: 7 });
    const claims = await t.inParallel(24, (connection) => connection.claimAll({ limit: 3 }));
    assert.equal(claims.flat().length, 7);
  },

  'claims the next attempt in the millisecond that period and margin have passed': async (t) => {
    await t.registerWithMessages(4, { rateLimit: 2 });
    assert.equal((await t.claimOnce({ limit: 1 })).attempts.length, 1);
    const apartMs = 500;
    t.clock.advance(apartMs);
    assert.equal((await t.claimAll()).length, 1);
    await t.elapseCheckingJustBefore(RATE_WINDOW_MS - apartMs, () => t.claimNothing());
    assert.equal((await t.claimAll()).length, 1);
    await t.elapseCheckingJustBefore(apartMs, () => t.claimNothing());
    assert.equal((await t.claimAll()).length, 1);
  },

  'applies to each attempt the rateMarginMs of its own claim': async (t) => {
    await t.registerWithMessages(2, { rateLimit: 1 });
    const firstMarginMs = 700;
    await t.claimOnce({ rateMarginMs: firstMarginMs });
    await t.elapseCheckingJustBefore(SECOND_MS + firstMarginMs, () =>
      t.claimNothing({ rateMarginMs: 10 }),
    );
    assert.equal((await t.claimAll({ rateMarginMs: 10 })).length, 1);
  },

  'counts attempts per minute if rateLimitPeriod is minute': async (t) => {
    await t.registerWithMessages(2, { rateLimit: 1, rateLimitPeriod: 'minute' });
    assert.equal((await t.claimAll()).length, 1);
    await t.elapseCheckingJustBefore(MINUTE_MS + CLAIM.rateMarginMs, () => t.claimNothing());
    assert.equal((await t.claimAll()).length, 1);
  },

  'counts retries and returned attempts towards the rate': async (t) => {
    await t.registerWithMessages(4, { rateLimit: 2 });
    const [first, second] = await t.claimExactly(2);
    await t.complete([first], retryIn(100));
    await t.completeEnds([notStartedEnd(second)]);
    t.clock.advance(200);
    await t.claimNothing();
    t.clock.advance(RATE_WINDOW_MS - 200);
    assert.equal((await t.claimAll()).length, 2);
  },

  'limits the rate of each webhook separately': async (t) => {
    await t.register('w1', { rateLimit: 1 });
    await t.register('w2', { rateLimit: 3 });
    await t.publishAll(5);
    const webhookIds = (await t.claimAll()).map(({ webhookId }) => webhookId);
    assert.deepEqual(webhookIds.toSorted(), ['w1', 'w2', 'w2', 'w2']);
  },

  'applies a changed rate to the next claim, including earlier attempts': async (t) => {
    const ref = await t.registerWithMessages(60, { rateLimit: 4 });
    assert.equal((await t.claimAll()).length, 4);
    assertFound(await t.webhooks.change(ref, { rateLimit: 6 }));
    assert.equal((await t.claimAll()).length, 2);
    assertFound(await t.webhooks.change(ref, { rateLimit: 1 }));
    await t.elapseCheckingJustBefore(RATE_WINDOW_MS, () => t.claimNothing());
    assert.equal((await t.claimAll()).length, 1);
  },

  'counts attempts from before enable() or a change of the URL towards the rate': async (t) => {
    const ref = await t.registerWithMessages(9, { rateLimit: 3 });
    await t.complete((await t.claimOnce({ limit: 1 })).attempts, GONE);
    await t.webhooks.enable(ref);
    assert.equal((await t.claimAll()).length, 2);
    await t.webhooks.change(ref, { url: 'https://elsewhere.example.com/' });
    await t.claimNothing();
  },

  'counts attempts from before a change of the period to a minute towards the rate': async (t) => {
    const ref = await t.registerWithMessages(60, { rateLimit: 3 });
    for (let second = 0; second < 10; second += 1) {
      assert.equal((await t.claimAll()).length, 3);
      t.clock.advance(RATE_WINDOW_MS);
    }
    // All thirty are within the last minute.
    assertFound(await t.webhooks.change(ref, { rateLimit: 30, rateLimitPeriod: 'minute' }));
    await t.claimNothing();
    t.clock.advance(MINUTE_MS);
    assert.equal((await t.claimAll()).length, 30);
  },

  'extends no rate window, backoff or lease when the clock is set back': async (t) => {
    await t.register('w1', { rateLimit: 1 });
    await t.register('w2');
    await t.publishOne('backing-off', { webhookId: 'w2' });
    await t.complete(await t.claimAll(), EXHAUSTED, { backoffMs: MINUTE_MS });
    await t.publishOne('after-backoff', { webhookId: 'w2' });
    await t.publishOne('lost', { webhookId: 'w1' });
    await t.publishOne('after-start', { webhookId: 'w1' });
    assert.deepEqual(deliveryIds(await t.claimAll()), ['lost']);

    t.clock.setBack(HOUR_MS);
    // Within a minute, the rate window, the lease of `lost` and the backoff end.
    const started: string[] = [];
    for (let second = 0; second <= MINUTE_MS / SECOND_MS; second += 1) {
      const attempts = await t.claimAll();
      if (attempts.length > 0) await t.complete(attempts, DELIVERED);
      started.push(...deliveryIds(attempts));
      t.clock.advance(SECOND_MS);
    }
    assert.deepEqual(started.toSorted(), ['after-backoff', 'after-start', 'lost']);
  },

  'keeps the rate in every window, at random times and over all connections': async (t) => {
    const rateLimit = 10;
    const count = 80;
    await t.register('w1', { rateLimit });
    await t.publishAll(count);
    const random = seededRandom(1);
    const processes = await t.connections(PROCESSES);
    const startedAtMs: number[] = [];
    while (startedAtMs.length < count) {
      const calls = 1 + Math.floor(random() * 6);
      const results = await inParallel(calls, processes, (storage) =>
        storage.deliveries.claim({ ...CLAIM, limit: 4 }),
      );
      const attempts = results.flatMap((result) => result.attempts);
      startedAtMs.push(...attempts.map(({ claimedAtMs }) => claimedAtMs));
      if (attempts.length > 0) await t.complete(attempts, DELIVERED);
      t.clock.advance(1 + Math.floor(random() * 150));
    }
    assert.ok(mostInAnyWindow(startedAtMs, RATE_WINDOW_MS) <= rateLimit);
  },
});

/** The largest number of starts in any window of this length. */
function mostInAnyWindow(startedAtMs: readonly number[], windowMs: number): number {
  const sorted = startedAtMs.toSorted((a, b) => a - b);
  let largest = 0;
  let first = 0;
  for (const [last, atMs] of sorted.entries()) {
    while ((sorted[first] ?? atMs) <= atMs - windowMs) first += 1;
    largest = Math.max(largest, last - first + 1);
  }
  return largest;
}

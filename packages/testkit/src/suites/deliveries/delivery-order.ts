import assert from 'node:assert/strict';
import { tally } from '../../actions/outcomes.ts';
import { pluck } from '../../actions/pluck.ts';
import { deliveryIds, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { CLAIM, DELIVERED, notStartedEnd, retryIn } from '../../samples/attempt-samples.ts';
import { RATE_WINDOW_MS, SECOND_MS } from '../../samples/webhook-samples.ts';

const DELAY_MS = 5 * SECOND_MS;

export const deliveryOrder = webhookSuite('deliveries: order', {
  'claims first attempts in the order of publishing': async (t) => {
    await t.register('w1');
    const ids = await t.publishAll(40);
    assert.deepEqual(deliveryIds(await t.claimAll({ limit: 7 })), ids);
  },

  'claims no more attempts than the limit of the request': async (t) => {
    await t.register('w1');
    await t.register('w2');
    await t.publishAll(20);
    for (const limit of [1, 3, 10, 20]) {
      assert.equal((await t.claimOnce({ limit })).attempts.length, limit);
    }
  },

  'claims a retry in the millisecond that its delay ends, which nextInMs announces': async (t) => {
    await t.registerWithMessages(1);
    await t.complete(await t.claimAll(), retryIn(DELAY_MS));
    await t.publishOne('n1');
    const { attempts, nextInMs } = await t.claimOnce();
    assert.deepEqual([...deliveryIds(attempts), nextInMs], ['n1', DELAY_MS]);
    await t.elapseCheckingJustBefore(DELAY_MS, async () =>
      assert.deepEqual(await t.claimOnce(), { attempts: [], poisoned: [], nextInMs: 1 }),
    );
    assert.equal((await t.claimSingle()).deliveryId, 'm1');
  },

  'claims the retry of a failed attempt as attempt 2, with one failure': async (t) => {
    await t.registerWithMessages(1);
    await t.complete(await t.claimAll(), retryIn(DELAY_MS));
    t.clock.advance(DELAY_MS);
    const { attempt, failures, notCounted } = await t.claimSingle();
    assert.deepEqual({ attempt, failures, notCounted }, { attempt: 2, failures: 1, notCounted: 0 });
  },

  'claims retries in the order of their due times': async (t) => {
    await t.registerWithMessages(3);
    const [first, second, third] = await t.claimExactly(3);
    await t.complete([first], retryIn(300));
    await t.complete([second], retryIn(100));
    await t.complete([third], retryIn(200));
    t.clock.advance(300);
    assert.deepEqual(deliveryIds(await t.claimAll()), ['m2', 'm3', 'm1']);
  },

  'alternates between retries and first attempts while both are due': async (t) => {
    await t.register('w1');
    const ids = await t.publishAll(4);
    for (const [i, attempt] of (await t.claimAll()).entries()) {
      await t.complete([attempt], retryIn(100 + i));
    }
    t.clock.advance(200);
    for (const id of ['n1', 'n2', 'n3']) await t.publishOne(id);
    const order: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      order.push(...deliveryIds((await t.claimOnce({ limit: 1 })).attempts));
    }
    const expected = [ids[0], 'n1', ids[1], 'n2', ids[2], 'n3', ids[3]];
    assert.deepEqual(order, expected);
  },

  'claims deliveries returned as not_started first, and counts no attempt': async (t) => {
    await t.registerWithMessages(6);
    const claimedAttempts = (await t.claimOnce({ limit: 3 })).attempts;
    const results = await t.completeEnds(claimedAttempts.map(notStartedEnd));
    assert.deepEqual(tally(results), { completed: 3 });
    t.clock.advance(1);
    const attempts = await t.claimAll();
    assert.deepEqual(deliveryIds(attempts), ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']);
    assert.ok(attempts.every(({ attempt, failures }) => attempt === 1 && failures === 0));
  },

  'claims a retry returned as not_started first, with the same attempt number': async (t) => {
    const ref = await t.registerWithMessages(1);
    await t.complete(await t.claimAll(), retryIn(100));
    t.clock.advance(100);
    const [retry] = await t.claimAll();
    assert.ok(retry);
    await t.completeEnds([notStartedEnd(retry)]);
    await t.publishOne('n1');
    t.clock.advance(1);
    const attempts = await t.claimAll();
    assert.deepEqual(deliveryIds(attempts), ['m1', 'n1']);
    assert.equal(attempts[0]?.attempt, 2);
    await t.complete(attempts, DELIVERED);
    const [, ended] = await t.list(ref);
    assert.deepEqual(pluck(ended?.attempts ?? [], 'attempt'), [1, 2]);
  },

  'does not let a burst to one webhook delay another webhook': async (t) => {
    await t.register('w1');
    await t.publishAll(300, { webhookId: 'w1' });
    await t.claimOnce({ limit: 1 });
    t.clock.advance(1);
    await t.register('w2');
    await t.publishOne('late', { webhookId: 'w2' });
    t.clock.advance(1);
    const claims = [await t.claimOnce({ limit: 50 }), await t.claimOnce({ limit: 50 })];
    const ids = deliveryIds(claims.flatMap(({ attempts }) => attempts));
    assert.ok(ids.includes('late'), 'the other webhook was not served');
  },

  'serves each waiting webhook once per round': async (t) => {
    for (const webhookId of ['w1', 'w2', 'w3']) {
      await t.register(webhookId);
      for (let i = 0; i < 9; i += 1) {
        await t.publishOne(`${webhookId} ${i}`, { webhookId });
      }
      t.clock.advance(1);
    }
    const served: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      const { attempts } = await t.claimOnce({ limit: 1 });
      served.push(...attempts.map(({ webhookId }) => webhookId));
      t.clock.advance(1);
    }
    // The first claim is left out, because it may find the other webhooks too new.
    for (const round of [served.slice(1, 4), served.slice(4)]) {
      assert.deepEqual(round.toSorted(), ['w1', 'w2', 'w3']);
    }
  },

  'returns as nextInMs the wait for the rate or the end of a lease, and null if the queue is empty':
    async (t) => {
      await t.register('w1', { rateLimit: 1 });
      assert.equal((await t.claimOnce()).nextInMs, null);
      await t.publishAll(2);
      const { nextInMs } = await t.claimOnce();
      assert.equal(nextInMs, RATE_WINDOW_MS);
      await t.elapseCheckingJustBefore(RATE_WINDOW_MS, async () =>
        assert.equal((await t.claimOnce()).nextInMs, 1),
      );
      assert.deepEqual(deliveryIds(await t.claimAll()), ['m2']);
      const { nextInMs: leaseEndsInMs } = await t.claimOnce();
      assert.ok(leaseEndsInMs !== null && leaseEndsInMs <= CLAIM.leaseMs);
    },
});

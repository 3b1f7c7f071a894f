import assert from 'node:assert/strict';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  complete,
  DELIVERED,
  notStarted,
  publishAll,
  retryIn,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { found, register } from '../../actions/register-webhook.ts';
import { seededRandom } from '../../agreement/seeded-random.ts';
import { mostInAnyWindow } from '../../engine/play-engine.ts';
import { SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { ClaimTrial } from '../../trials/claim-trial.ts';

const WINDOW_MS = SECOND_MS + CLAIM.rateMarginMs;

export const claimRate: Suite<ClaimTrial> = {
  name: 'deliveries: rate',
  claims: {
    'claims no more than rateLimit at once, over all connections': async ({
      webhooks,
      claims,
      connections,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 7 });
      await publishAll(claims, 40);
      const answers = await inParallel(24, await connections(8), (storage) =>
        storage.claims.claim({ ...CLAIM, limit: 3 }),
      );
      assert.equal(answers.flatMap(({ attempts }) => attempts).length, 7);
    },

    'opens again when period and margin have passed, to the millisecond': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 2 });
      await publishAll(claims, 4);
      assert.equal((await claimOnce(claims, { limit: 1 })).attempts.length, 1);
      clock.advance(500);
      assert.equal((await claimAll(claims)).length, 1);
      clock.advance(WINDOW_MS - 501);
      assert.deepEqual(await claimAll(claims), []);
      clock.advance(1);
      assert.equal((await claimAll(claims)).length, 1);
      clock.advance(499);
      assert.deepEqual(await claimAll(claims), []);
      clock.advance(1);
      assert.equal((await claimAll(claims)).length, 1);
    },

    'goes by the margin of each claim': async ({ webhooks, claims, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      await publishAll(claims, 2);
      await claimOnce(claims, { rateMarginMs: 700 });
      clock.advance(SECOND_MS + 699);
      assert.deepEqual(await claimAll(claims, { rateMarginMs: 10 }), []);
      clock.advance(1);
      assert.equal((await claimAll(claims, { rateMarginMs: 10 })).length, 1);
    },

    'is counted over a minute where the webhook says so': async ({ webhooks, claims, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 1, rateLimitPeriod: 'minute' });
      await publishAll(claims, 2);
      assert.equal((await claimAll(claims)).length, 1);
      clock.advance(60_000 + CLAIM.rateMarginMs - 1);
      assert.deepEqual(await claimAll(claims), []);
      clock.advance(1);
      assert.equal((await claimAll(claims)).length, 1);
    },

    'holds for retries, and for what was not started': async ({ webhooks, claims, clock }) => {
      await register(webhooks, 'w1', { rateLimit: 2 });
      await publishAll(claims, 4);
      const [first, second] = await claimAll(claims);
      assert.ok(first && second);
      await complete(claims, [first], retryIn(100));
      await claims.complete([notStarted(second)], COMPLETE);
      clock.advance(200);
      assert.deepEqual(await claimAll(claims), []);
      clock.advance(WINDOW_MS - 200);
      assert.equal((await claimAll(claims)).length, 2);
    },

    'applies to each webhook alone': async ({ webhooks, claims }) => {
      await register(webhooks, 'w1', { rateLimit: 1 });
      await register(webhooks, 'w2', { rateLimit: 3 });
      await publishAll(claims, 5);
      const claimed = (await claimAll(claims)).map(({ webhookId }) => webhookId);
      assert.deepEqual(claimed.toSorted(), ['w1', 'w2', 'w2', 'w2']);
    },

    'is read at the next claim after a change, and counts what started before': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 4 });
      await publishAll(claims, 60);
      assert.equal((await claimAll(claims)).length, 4);
      found(await webhooks.change(ref, { rateLimit: 6 }));
      assert.equal((await claimAll(claims)).length, 2);
      found(await webhooks.change(ref, { rateLimit: 1 }));
      clock.advance(WINDOW_MS - 1);
      assert.deepEqual(await claimAll(claims), []);
      clock.advance(1);
      assert.equal((await claimAll(claims)).length, 1);
    },

    'lets no more start in a minute that begins before the period was changed to one': async ({
      webhooks,
      claims,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 3 });
      await publishAll(claims, 60);
      for (let second = 0; second < 10; second += 1) {
        assert.equal((await claimAll(claims)).length, 3);
        clock.advance(WINDOW_MS);
      }
      found(await webhooks.change(ref, { rateLimit: 30, rateLimitPeriod: 'minute' }));
      assert.deepEqual(await claimAll(claims), []);
      clock.advance(60_000);
      assert.equal((await claimAll(claims)).length, 30);
    },

    'holds in every window, at random times and over all connections': async ({
      webhooks,
      claims,
      connections,
      clock,
    }) => {
      await register(webhooks, 'w1', { rateLimit: 10 });
      await publishAll(claims, 80);
      const random = seededRandom(1);
      const processes = await connections(8);
      const startedAtMs: number[] = [];
      while (startedAtMs.length < 80) {
        const asked = 1 + Math.floor(random() * 6);
        const answers = await inParallel(asked, processes, (storage) =>
          storage.claims.claim({ ...CLAIM, limit: 4 }),
        );
        const attempts = answers.flatMap((answer) => answer.attempts);
        startedAtMs.push(...attempts.map(({ claimedAtMs }) => claimedAtMs));
        if (attempts.length > 0) await complete(claims, attempts, DELIVERED);
        clock.advance(1 + Math.floor(random() * 150));
      }
      assert.ok(mostInAnyWindow(startedAtMs, WINDOW_MS) <= 10);
    },
  },
};

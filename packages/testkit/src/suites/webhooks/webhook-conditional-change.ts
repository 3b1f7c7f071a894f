import assert from 'node:assert/strict';
import { inParallel } from '../../in-parallel.ts';
import { tally } from '../../outcomes.ts';
import type { Suite } from '../../suite.ts';
import { found, register } from '../../webhook-actions.ts';
import { ACCOUNT_ID } from '../../webhook-samples.ts';
import type { WebhookTrial } from '../../webhook-trial.ts';

const PROCESSES = 8;
/** Several, since a defect may show only in some rounds of a race. */
const ROUNDS = 10;

const URL_SINCE = 'https://receiver.example.com/since';

const BEFORE = {
  url: 'https://receiver.example.com/before',
  rateLimit: 5,
  rateLimitPeriod: 'second',
} as const;
const AFTER = {
  url: 'https://receiver.example.com/after',
  rateLimit: 70,
  rateLimitPeriod: 'minute',
} as const;

export const webhookConditionalChange: Suite<WebhookTrial> = {
  name: 'webhooks: conditional changes',
  claims: {
    'change the given fields, and nothing else': async ({ webhooks, clock }) => {
      const other = await register(webhooks, 'w2', BEFORE);
      const conditions = [
        { expected: { url: BEFORE.url }, change: { url: AFTER.url } },
        { expected: { rateLimit: BEFORE.rateLimit }, change: { rateLimit: AFTER.rateLimit } },
        { expected: { url: BEFORE.url }, change: { rateLimitPeriod: AFTER.rateLimitPeriod } },
        { expected: BEFORE, change: AFTER },
      ];
      for (const [nth, condition] of conditions.entries()) {
        const record = await register(webhooks, `changed ${nth}`, BEFORE);
        clock.advance(1000);
        const webhook = { ...record, ...condition.change, updatedAtMs: clock.nowMs() };
        const answer = await webhooks.changeIf(record, condition);
        assert.deepEqual(answer, { outcome: 'changed', webhook });
        assert.deepEqual(await webhooks.find(record), webhook);
      }
      assert.deepEqual(await webhooks.find(other), other);
    },

    'change nothing if any field differs, and answer the present webhook': async ({
      webhooks,
      clock,
    }) => {
      const webhook = await register(webhooks, 'w1', BEFORE);
      clock.advance(1000);
      for (const difference of [
        { url: URL_SINCE },
        { rateLimit: 6 },
        { rateLimitPeriod: 'minute' as const },
      ]) {
        const expected = { ...BEFORE, ...difference };
        const answer = await webhooks.changeIf(webhook, { expected, change: AFTER });
        assert.deepEqual(answer, { outcome: 'differs', webhook });
        assert.deepEqual(await webhooks.find(webhook), webhook);
      }
    },

    'are answered like the first when sent again, and change nothing more': async ({
      webhooks,
      clock,
    }) => {
      const record = await register(webhooks, 'w1', BEFORE);
      const condition = { expected: BEFORE, change: AFTER };
      const changed = await webhooks.changeIf(record, condition);
      clock.advance(1000);
      assert.deepEqual(await webhooks.changeIf(record, condition), changed);
      const webhook = found(await webhooks.change(record, { url: URL_SINCE }));
      assert.deepEqual(await webhooks.changeIf(record, condition), { outcome: 'differs', webhook });
    },

    'find a webhook for its own account only, and none that was removed': async ({ webhooks }) => {
      const record = await register(webhooks, 'w1', BEFORE);
      const condition = { expected: BEFORE, change: AFTER };
      const stranger = { accountId: ACCOUNT_ID + 1, webhookId: 'w1' };
      assert.equal(await webhooks.changeIf(stranger, condition), null);
      assert.deepEqual(await webhooks.find(record), record);
      await webhooks.remove(record);
      assert.equal(await webhooks.changeIf(record, condition), null);
    },

    'succeed once of 50 in parallel that expect the same': async ({ webhooks, connections }) => {
      const ref = await register(webhooks, 'w1', BEFORE);
      const urlOf = (nth: number) => `https://receiver.example.com/${nth}`;
      const answers = await inParallel(50, await connections(PROCESSES), async (storage, nth) => {
        const condition = { expected: { url: BEFORE.url }, change: { url: urlOf(nth) } };
        return (await storage.webhooks.changeIf(ref, condition)) ?? assert.fail('it is gone');
      });
      assert.deepEqual(tally(answers), { changed: 1, differs: 49 });
      const winner = answers.findIndex(({ outcome }) => outcome === 'changed');
      assert.equal(found(await webhooks.find(ref)).url, urlOf(winner));
    },

    'overwrite no other change': async ({ webhooks, connections }) => {
      const processes = await connections(PROCESSES);
      const condition = { expected: { url: BEFORE.url }, change: { url: AFTER.url } };
      for (let round = 0; round < ROUNDS; round += 1) {
        const ref = await register(webhooks, `w${round}`, BEFORE);
        await Promise.all([
          inParallel(PROCESSES, processes, (storage) => storage.webhooks.changeIf(ref, condition)),
          webhooks.change(ref, { url: URL_SINCE }),
        ]);
        assert.equal(found(await webhooks.find(ref)).url, URL_SINCE);
      }
    },
  },
};

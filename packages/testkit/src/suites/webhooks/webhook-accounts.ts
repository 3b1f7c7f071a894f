import assert from 'node:assert/strict';
import type { ClaimedAttempt, ClaimRequest, DeliveryStore } from '@latchhook/core/storage';
import {
  claimAll,
  claimOnce,
  completeAttempts,
  DELIVERED,
  EXHAUSTED,
  onlyDelivery,
  publishOne,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import { walkEncrypted } from '../../actions/walk-encrypted.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { TEXT_ACCOUNTS } from '../../samples/account-samples.ts';
import { newMessage } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

/** Pairs of account id and idempotency key that join to the same text. */
const AMBIGUOUS_PAIRS = [':', '/', '.', '='].map((by) => [
  { accountId: 'a', idempotencyKey: `b${by}c` },
  { accountId: `a${by}b`, idempotencyKey: 'c' },
]);

export const webhookAccounts: Suite<WebhookFixture> = {
  name: 'webhooks: text account ids',
  cases: {
    'keeps webhooks of similar account ids apart': async ({ webhooks }) => {
      for (const [i, accountId] of TEXT_ACCOUNTS.entries()) {
        const url = `https://receiver.example.com/${i}`;
        const record = await register(webhooks, 'w1', { accountId, url });
        assert.equal(record.accountId, accountId);
      }
      for (const [i, accountId] of TEXT_ACCOUNTS.entries()) {
        const ref = { accountId, webhookId: 'w1' };
        const record = await webhooks.find(ref);
        assert.deepEqual(record?.accountId, accountId);
        assert.equal(record?.url, `https://receiver.example.com/${i}`);
        assert.deepEqual(await webhooks.list(accountId, { limit: 100, after: null }), [record]);
        assert.equal((await webhooks.change(ref, { rateLimit: i + 1 }))?.rateLimit, i + 1);
      }
      for (const [i, accountId] of TEXT_ACCOUNTS.entries()) {
        const ref = { accountId, webhookId: 'w1' };
        assert.equal((await webhooks.find(ref))?.rateLimit, i + 1);
        assert.equal(await webhooks.remove(ref), true);
        assert.equal(await webhooks.find(ref), null);
      }
    },

    'returns the account id of each encrypted secret': async ({ webhooks }) => {
      for (const accountId of TEXT_ACCOUNTS) await register(webhooks, 'w1', { accountId });
      const items = await walkEncrypted(webhooks, 5);
      const owners = items.map(({ owner }) => owner.accountId);
      assert.deepEqual(owners.toSorted(), TEXT_ACCOUNTS.toSorted());
    },

    'keeps deliveries of similar account ids apart, with equal message ids and keys': async ({
      webhooks,
      deliveries,
    }) => {
      const key = { idempotencyKey: 'k' };
      for (const accountId of TEXT_ACCOUNTS) {
        await register(webhooks, 'w1', { accountId });
        const { deliveries: count } = await publishOne(deliveries, 'm1', { accountId, ...key });
        assert.equal(count, 1);
      }
      const attempts = await claimAll(deliveries);
      const claimed = attempts.map(({ accountId }) => accountId);
      assert.deepEqual(claimed.toSorted(), TEXT_ACCOUNTS.toSorted());
      const [first, ...rest] = attempts;
      if (first === undefined) assert.fail('nothing was claimed');
      await completeAttempts(deliveries, [first], EXHAUSTED);
      await completeAttempts(deliveries, rest, DELIVERED);
      for (const attempt of attempts) {
        const { accountId, state } = await onlyDelivery(deliveries, attempt);
        assert.equal(accountId, attempt.accountId);
        assert.equal(state, attempt === first ? 'dead' : 'delivered');
        const duplicate = newMessage('m2', { accountId, ...key });
        assert.equal((await deliveries.publish(duplicate)).outcome, 'duplicate');
      }
      assert.equal((await deliveries.redeliver(first)).outcome, 'due');
      assert.deepEqual(
        (await claimAll(deliveries)).map(({ accountId }) => accountId),
        [first.accountId],
      );
    },

    'keeps pairs of account id and idempotency key apart that join to the same text': async ({
      webhooks,
      deliveries,
    }) => {
      for (const message of AMBIGUOUS_PAIRS.flat()) {
        await register(webhooks, `w${message.idempotencyKey.length}`, message);
      }
      for (const [i, messages] of AMBIGUOUS_PAIRS.entries()) {
        for (const message of messages) await publishOne(deliveries, `m${i}`, message);
      }
    },

    'limits attempts in flight per account, also for similar ids': async ({
      webhooks,
      deliveries,
    }) => {
      const accounts = ['ab', 'aB', 'a/b', '{ab}'];
      for (const accountId of accounts) {
        await register(webhooks, 'w1', { accountId });
        for (const id of ['m1', 'm2']) await publishOne(deliveries, id, { accountId });
      }
      for (const id of ['m1', 'm2']) {
        const attempts = await claimUntilEmpty(deliveries, { maxInFlightPerAccount: 1 });
        assert.deepEqual(
          attempts.map(({ accountId }) => accountId).toSorted(),
          accounts.toSorted(),
        );
        for (const attempt of attempts) assert.equal(attempt.deliveryId, id);
        await completeAttempts(deliveries, attempts, DELIVERED);
      }
    },
  },
};

/** Claims until a claim is empty, because a claim may return the attempts of one account only. */
async function claimUntilEmpty(
  deliveries: DeliveryStore,
  change: Partial<ClaimRequest>,
): Promise<readonly ClaimedAttempt[]> {
  const claimed: ClaimedAttempt[] = [];
  for (;;) {
    const { attempts } = await claimOnce(deliveries, change);
    if (attempts.length === 0) return claimed;
    claimed.push(...attempts);
  }
}

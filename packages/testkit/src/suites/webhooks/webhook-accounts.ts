import assert from 'node:assert/strict';
import type { ClaimedAttempt, ClaimRequest } from '@latchhook/core/storage';
import { pluck } from '../../actions/pluck.ts';
import { walkEncrypted } from '../../actions/walk-encrypted.ts';
import { type WebhookFixture, webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { TEXT_ACCOUNTS } from '../../samples/account-samples.ts';
import { DELIVERED, EXHAUSTED } from '../../samples/attempt-samples.ts';
import { newMessage } from '../../samples/webhook-samples.ts';

/** Pairs of account id and idempotency key that join to the same text. */
const AMBIGUOUS_PAIRS = [':', '/', '.', '='].map((by) => [
  { accountId: 'a', idempotencyKey: `b${by}c` },
  { accountId: `a${by}b`, idempotencyKey: 'c' },
]);

export const webhookAccounts = webhookSuite('webhooks: text account ids', {
  'keeps webhooks of similar account ids apart': async (t) => {
    for (const [i, accountId] of TEXT_ACCOUNTS.entries()) {
      const url = `https://receiver.example.com/${i}`;
      const record = await t.register('w1', { accountId, url });
      assert.equal(record.accountId, accountId);
    }
    for (const [i, accountId] of TEXT_ACCOUNTS.entries()) {
      const ref = { accountId, webhookId: 'w1' };
      const record = await t.webhooks.find(ref);
      assert.deepEqual(record?.accountId, accountId);
      assert.equal(record?.url, `https://receiver.example.com/${i}`);
      assert.deepEqual(await t.webhooks.list(accountId, { limit: 100, after: null }), [record]);
      assert.equal((await t.webhooks.change(ref, { rateLimit: i + 1 }))?.rateLimit, i + 1);
    }
    for (const [i, accountId] of TEXT_ACCOUNTS.entries()) {
      const ref = { accountId, webhookId: 'w1' };
      assert.equal((await t.webhooks.find(ref))?.rateLimit, i + 1);
      assert.equal(await t.webhooks.remove(ref), true);
      assert.equal(await t.webhooks.find(ref), null);
    }
  },

  'returns the account id of each encrypted secret': async (t) => {
    for (const accountId of TEXT_ACCOUNTS) await t.register('w1', { accountId });
    const items = await walkEncrypted(t.webhooks, 5);
    const owners = items.map(({ owner }) => owner.accountId);
    assert.deepEqual(owners.toSorted(), TEXT_ACCOUNTS.toSorted());
  },

  'keeps deliveries of similar account ids apart, with equal message ids and keys': async (t) => {
    const key = { idempotencyKey: 'k' };
    for (const accountId of TEXT_ACCOUNTS) {
      await t.register('w1', { accountId });
      const { deliveries: count } = await t.publishOne('m1', { accountId, ...key });
      assert.equal(count, 1);
    }
    const attempts = await t.claimAll();
    const claimed = attempts.map(({ accountId }) => accountId);
    assert.deepEqual(claimed.toSorted(), TEXT_ACCOUNTS.toSorted());
    const [first, ...rest] = attempts;
    if (first === undefined) assert.fail('nothing was claimed');
    await t.complete([first], EXHAUSTED);
    await t.complete(rest, DELIVERED);
    for (const attempt of attempts) {
      const { accountId, state } = await t.onlyDelivery(attempt);
      assert.equal(accountId, attempt.accountId);
      assert.equal(state, attempt === first ? 'dead' : 'delivered');
      const duplicate = newMessage('m2', { accountId, ...key });
      assert.equal((await t.deliveries.publish(duplicate)).outcome, 'duplicate');
    }
    assert.equal((await t.deliveries.redeliver(first)).outcome, 'due');
    assert.deepEqual(pluck(await t.claimAll(), 'accountId'), [first.accountId]);
  },

  'keeps apart pairs of account id and idempotency key that join to the same text': async (t) => {
    for (const { accountId } of AMBIGUOUS_PAIRS.flat()) await t.register('w1', { accountId });
    for (const [i, messages] of AMBIGUOUS_PAIRS.entries()) {
      for (const message of messages) await t.publishOne(`m${i}`, message);
    }
  },

  'limits attempts in flight per account, also for similar ids': async (t) => {
    const accounts = ['ab', 'aB', 'a/b', '{ab}'];
    for (const accountId of accounts) {
      await t.register('w1', { accountId });
      for (const id of ['m1', 'm2']) await t.publishOne(id, { accountId });
    }
    for (const id of ['m1', 'm2']) {
      const attempts = await claimUntilEmpty(t, { maxInFlightPerAccount: 1 });
      assert.deepEqual(pluck(attempts, 'accountId').toSorted(), accounts.toSorted());
      for (const attempt of attempts) assert.equal(attempt.deliveryId, id);
      await t.complete(attempts, DELIVERED);
    }
  },
});

/** Claims until a claim is empty, because a claim may return the attempts of one account only. */
async function claimUntilEmpty(
  t: WebhookFixture,
  change: Partial<ClaimRequest>,
): Promise<readonly ClaimedAttempt[]> {
  const claimed: ClaimedAttempt[] = [];
  for (;;) {
    const { attempts } = await t.claimOnce(change);
    if (attempts.length === 0) return claimed;
    claimed.push(...attempts);
  }
}

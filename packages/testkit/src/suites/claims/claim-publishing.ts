import assert from 'node:assert/strict';
import {
  claimAll,
  claimSingle,
  complete,
  DELIVERED,
  listed,
  names,
  publishAll,
  publishOne,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import { newMessage, POLICY } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { ClaimTrial } from '../../trials/claim-trial.ts';

export const claimPublishing: Suite<ClaimTrial> = {
  name: 'deliveries: publishing',
  claims: {
    'gives each webhook for the event one delivery, with the body and all that sending takes':
      async ({ webhooks, claims, clock }) => {
        await register(webhooks, 'w1');
        await register(webhooks, 'w2', { url: 'https://two.example.com/' });
        await register(webhooks, 'other', { event: 'Contact.Removed' });
        await register(webhooks, 'foreign', { accountId: 8 });
        const message = newMessage('m1');
        assert.deepEqual(await claims.publish(message), {
          outcome: 'published',
          messageId: 'm1',
          deliveries: 2,
          expired: [],
        });
        const attempts = (await claimAll(claims)).toSorted((a, b) =>
          a.webhookId < b.webhookId ? -1 : 1,
        );
        const nowMs = clock.nowMs();
        assert.deepEqual(
          attempts,
          ['w1', 'w2'].map((webhookId, nth) => ({
            accountId: 7,
            webhookId,
            deliveryId: 'm1',
            attempt: 1,
            // Any, as long as it grows.
            sequence: attempts[nth]?.sequence,
            claimedAtMs: nowMs,
            createdAtMs: nowMs,
            expiresAtMs: nowMs + POLICY.retentionMs,
            failures: 0,
            notCounted: 0,
            body: message.body,
            webhook: {
              url: nth === 1 ? 'https://two.example.com/' : attempts[0]?.webhook.url,
              secrets: [{ sealed: `sealed secret of ${webhookId}`, retiresAtMs: null }],
            },
          })),
        );
      },

    'to one webhook alone is whatever its event, and unknown where there is none': async ({
      webhooks,
      claims,
    }) => {
      await register(webhooks, 'w1', { event: 'Contact.Removed' });
      await register(webhooks, 'w2');
      await publishOne(claims, 'm1', { webhookId: 'w1' });
      assert.equal((await claimSingle(claims)).webhookId, 'w1');
      const unknown = newMessage('m2', { webhookId: 'w3' });
      assert.deepEqual(await claims.publish(unknown), { outcome: 'unknown' });
      const foreign = newMessage('m2', { webhookId: 'w1', accountId: 8 });
      assert.deepEqual(await claims.publish(foreign), { outcome: 'unknown' });
    },

    'under an id or a key that was published before changes nothing, and names the first': async ({
      webhooks,
      claims,
    }) => {
      await register(webhooks, 'w1');
      await publishOne(claims, 'm1', { idempotencyKey: 'k' });
      const first = { outcome: 'duplicate', messageId: 'm1', deliveries: 1, expired: [] };
      const sameKey = newMessage('m2', { idempotencyKey: 'k', body: '{}' });
      assert.deepEqual(await claims.publish(sameKey), first);
      assert.deepEqual(await claims.publish(newMessage('m1', { body: '{}' })), first);
      await complete(claims, [await claimSingle(claims)], DELIVERED);
      assert.deepEqual(await claims.publish(sameKey), first);
      assert.deepEqual(await claimAll(claims), []);
      await register(webhooks, 'w1', { accountId: 8 });
      await publishOne(claims, 'm1', { accountId: 8, idempotencyKey: 'k' });
    },

    'under a key to no webhook at all is known by the key': async ({ webhooks, claims }) => {
      await publishOne(claims, 'm1', { idempotencyKey: 'k' });
      await register(webhooks, 'w1');
      assert.deepEqual(await claims.publish(newMessage('m2', { idempotencyKey: 'k' })), {
        outcome: 'duplicate',
        messageId: 'm1',
        deliveries: 0,
        expired: [],
      });
    },

    'forgets a key when its time is over, and an id with its message': async ({
      webhooks,
      claims,
      clock,
    }) => {
      await register(webhooks, 'w1');
      await publishOne(claims, 'm1', {
        idempotencyKey: 'k',
        retentionMs: 2 * POLICY.idempotencyMs,
      });
      clock.advance(POLICY.idempotencyMs - 1);
      const again = newMessage('m2', { idempotencyKey: 'k' });
      assert.equal((await claims.publish(again)).outcome, 'duplicate');
      clock.advance(1);
      assert.equal((await claims.publish(again)).outcome, 'published');
      clock.advance(POLICY.idempotencyMs - 1);
      assert.equal((await claims.publish(newMessage('m1'))).outcome, 'duplicate');
      clock.advance(1);
      await publishOne(claims, 'm1', { body: '{"second":1}' });
      const bodies = new Map((await claimAll(claims)).map((each) => [each.deliveryId, each.body]));
      assert.equal(bodies.get('m1'), '{"second":1}');
    },

    'by many at once under one key publishes once': async ({ webhooks, claims, connections }) => {
      await register(webhooks, 'w1');
      const answers = await inParallel(40, await connections(4), (storage, nth) =>
        storage.claims.publish(newMessage(`m${nth}`, { idempotencyKey: 'k' })),
      );
      const ids = new Set(answers.map((each) => ('messageId' in each ? each.messageId : '')));
      assert.equal(ids.size, 1);
      assert.equal(answers.filter(({ outcome }) => outcome === 'published').length, 1);
      assert.deepEqual(names(await claimAll(claims)), [...ids]);
    },

    'beyond maxQueued gives the oldest up that wait for their first try, and says so': async ({
      webhooks,
      claims,
    }) => {
      const ref = await register(webhooks, 'w1', { rateLimit: 1 });
      const maxQueued = 3;
      await publishAll(claims, 3, { maxQueued });
      await claimSingle(claims);
      await publishOne(claims, 'm4', { maxQueued });
      assert.deepEqual((await publishOne(claims, 'm5', { maxQueued })).expired, [
        { accountId: 7, webhookId: 'w1', deliveryId: 'm2' },
      ]);
      const states = (await listed(claims, ref)).map((each) => [
        each.deliveryId,
        each.state,
        each.deadReason,
      ]);
      assert.deepEqual(states, [
        ['m5', 'queued', null],
        ['m4', 'queued', null],
        ['m3', 'queued', null],
        ['m2', 'dead', 'expired'],
        ['m1', 'sending', null],
      ]);
    },
  },
};

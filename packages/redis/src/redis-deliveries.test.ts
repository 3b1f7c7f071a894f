import {
  CallDeadline,
  type DeliveryStore,
  type NewMessage,
  StorageUnavailableError,
} from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { redisDeliveries } from './redis-deliveries.ts';
import type { CallOptions, CallScript } from './script-caller.ts';
import { ScriptReply } from './script-reply.ts';
import { webhookKeys } from './webhook-keyspace.ts';

const REF = { accountId: 7, webhookId: 'wh_1' };
const PAGE = { limit: 10, after: null };

interface Calls {
  readonly store: DeliveryStore;
  readonly deadline: CallDeadline;
  readonly given: CallOptions['deadline'][];
}

/** A store whose every call answers no items, and that there are more. */
function endless(outcome: string): Calls {
  const deadline = new CallDeadline('Redis', 60_000);
  const given: CallOptions['deadline'][] = [];
  const call: CallScript = async (script, _keys, _args, options) => {
    given.push(options?.deadline);
    return new ScriptReply(script.name, [outcome, [], 1], 0);
  };
  const store = redisDeliveries(call, webhookKeys('prefix'), () => deadline);
  return { store, deadline, given };
}

it.each([
  ['listed', (store: DeliveryStore) => store.list(REF, PAGE)],
  [
    'rescheduled',
    (store: DeliveryStore) =>
      store.reschedule(REF, { ...PAGE, rateMarginMs: 0, maxInFlight: 10, leaseMs: 20_000 }),
  ],
])('gives one deadline to all calls for a page: %s', async (outcome, ask) => {
  const { store, deadline, given } = endless(outcome);
  await expect(ask(store)).rejects.toThrow(StorageUnavailableError);
  expect(given.length).toBeGreaterThan(10);
  expect(new Set(given)).toEqual(new Set([deadline]));
});

it('gives all calls of one sweep a single deadline, and ends the sweep', async () => {
  const { store, deadline, given } = endless('found');
  expect(await store.overdue({ graceMs: 0, limit: 200, putOffMs: 0 })).toEqual([]);
  expect(given).toEqual(Array(50).fill(deadline));
});

it('keeps what one call returned even if the next fails, and looks at as many webhooks each time', async () => {
  const asked: Record<string, unknown>[] = [];
  const call: CallScript = async (script, _keys, args) => {
    asked.push(args);
    if (asked.length === 3) throw new StorageUnavailableError('Redis is unavailable');
    const found = asked.length === 1 ? [['7/wh_1', 'm1', '1']] : [];
    return new ScriptReply(script.name, ['found', found, 1], 0);
  };
  const deadline = new CallDeadline('Redis', 60_000);
  const store = redisDeliveries(call, webhookKeys('prefix'), () => deadline);
  const returned = await store.overdue({ graceMs: 0, limit: 200, putOffMs: 0 });
  expect(returned).toEqual([{ ...REF, deliveryId: 'm1', run: 1, delayMs: 0 }]);
  expect(asked).toMatchObject([
    { limit: 200, webhookLimit: 200 },
    { limit: 199, webhookLimit: 200 },
    { limit: 199, webhookLimit: 200 },
  ]);
});

it('lets an account send no more than a few messages at once, so that others need not wait behind a burst', async () => {
  const messageIds: string[] = [];
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const call: CallScript = async (script, _keys, args) => {
    messageIds.push(String(Reflect.get(args, 'messageId')));
    await answered;
    return new ScriptReply(script.name, ['unknown'], 0);
  };
  const deadline = new CallDeadline('Redis', 60_000);
  const store = redisDeliveries(call, webhookKeys('prefix'), () => deadline);
  const calls = Array.from({ length: 10 }, (_, nth) => store.publish(newMessage(7, `m${nth + 1}`)));
  calls.push(store.publish(newMessage(8, 'of another')));
  expect(messageIds).toEqual(['m1', 'm2', 'm3', 'm4', 'of another']);
  // One that is left waiting would be refused in the middle of another test.
  answer();
  await Promise.all(calls);
  expect(messageIds).toHaveLength(11);
});

function newMessage(accountId: number, messageId: string): NewMessage {
  return {
    accountId,
    messageId,
    event: 'Contact.Added',
    body: '{}',
    webhookId: null,
    idempotencyKey: null,
    idempotencyMs: 1_000,
    retentionMs: 1_000,
    maxQueued: 10,
    rateMarginMs: 25,
  };
}

import { CallDeadline, StorageUnavailableError } from '@latchhook/core';
import { expect, it } from 'vitest';
import { RedisDeliveryStore } from './redis-delivery-store.ts';
import type { CallOptions, CallScript } from './script-caller.ts';
import { ScriptReply } from './script-reply.ts';
import { webhookKeys } from './webhook-keyspace.ts';

const REF = { accountId: 7, webhookId: 'wh_1' };
const PAGE = { limit: 10, after: null };

it.each([
  ['listed', (store: RedisDeliveryStore) => store.list(REF, PAGE)],
  [
    'rescheduled',
    (store: RedisDeliveryStore) => store.reschedule(REF, { ...PAGE, rateMarginMs: 0 }),
  ],
])('gives one deadline to all calls for a page: %s', async (outcome, ask) => {
  const deadline = new CallDeadline('Redis', 60_000);
  const given: CallOptions['deadline'][] = [];
  // Always: there is more, and nothing of it was kept.
  const call: CallScript = async (script, _keys, _args, options) => {
    given.push(options?.deadline);
    return new ScriptReply(script.name, [outcome, [], 1], 0);
  };
  const store = new RedisDeliveryStore(call, webhookKeys('prefix'), () => deadline);
  await expect(ask(store)).rejects.toThrow(StorageUnavailableError);
  expect(given.length).toBeGreaterThan(10);
  expect(new Set(given)).toEqual(new Set([deadline]));
});

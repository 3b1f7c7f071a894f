import type { CallDeadline, QueueStats } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { DeliveryMethod } from '../../store-methods.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';

/** How many webhooks one call reads. */
const PAGE = 200;

/**
 * Counts the waiting deliveries of a page of the webhooks in `due`, from the index `from` on.
 *
 * Outcome: `counted`, with the number of waiting deliveries of these webhooks, the number of all attempts in flight,
 * for how long the first webhook of `due` has been due (ms), and 1 if more webhooks may follow, else 0.
 */
const script = defineScript({
  name: 'queue/stats',
  keys: ['root'],
  args: { from: 'number' },
  uses: [KEY_OF],
  lua: `
local names, waiting = redis.call('ZRANGE', rootKey .. ':due', from, from + ${PAGE - 1}), 0
for _, name in ipairs(names) do
  waiting = waiting + redis.call('LLEN', keyOf('fresh', name)) + redis.call('ZCARD', keyOf('retries', name))
end
local oldest = redis.call('ZRANGE', rootKey .. ':due', 0, 0, 'WITHSCORES')[2]
local inFlight = 0
for _, count in ipairs(redis.call('HVALS', rootKey .. ':inFlight')) do inFlight = inFlight + count end
local isPageFull = #names == ${PAGE}
return reply('counted', waiting, inFlight, math.max(0, now - (oldest or now)), isPageFull and 1 or 0)
`,
});

/** Adds up the pages of all partitions. */
export const stats: DeliveryMethod<'stats'> =
  ({ call, partitions: { all }, newDeadline }) =>
  async () => {
    const deadline = newDeadline();
    const results = await Promise.all(all.map((keys) => statsOf(call, keys, deadline)));
    return {
      pending: results.reduce((sum, { pending }) => sum + pending, 0),
      oldestDueAgeMs: Math.max(...results.map(({ oldestDueAgeMs }) => oldestDueAgeMs)),
    };
  };

async function statsOf(
  call: CallScript,
  keys: WebhookKeys,
  deadline: CallDeadline,
): Promise<QueueStats> {
  let waiting = 0;
  for (let from = 0; ; from += PAGE) {
    const reply = await call(script, keys, { from }, { deadline });
    reply.expectOutcome('counted');
    waiting += reply.integer();
    const inFlight = reply.integer();
    const oldestDueAgeMs = reply.integer();
    if (reply.integer() === 0) return { pending: waiting + inFlight, oldestDueAgeMs };
  }
}

import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './counted-lines.ts';
import { DEAD_MEMBER } from './dead-member.ts';

/** How many members of one list a call forgets, at most, so that no call takes long. */
export const MAX_FORGOTTEN = 100;

/**
 * `forget(webhook, id, state)`: takes a delivery out of every set: one past its retention, or whose message Redis has
 * lost. The hash of a delivery says when its retention ends; in the sets it stays until a transition meets it. `state`
 * is that of its hash, or `nil`.
 */
export const FORGET = defineFragment({
  uses: [KEY_OF, COUNTED_LINES, DEAD_MEMBER],
  rareFunction: 'forget(webhook, id, state)',
  body: `
  work = work + 1
  -- Most were delivered, and such are in the log alone.
  if state ~= 'delivered' then
    local sequence = redis.call('ZSCORE', keyOf('log', webhook), id)
    if sequence then redis.call('ZREM', keyOf('dead', webhook), deadMember(sequence, id)) end
    for _, kind in ipairs({'queued', 'parked', 'retries', 'parkedRetries', 'held', 'due', 'inFlight'}) do
      leave(kind, webhook, id)
    end
  end
  redis.call('ZREM', keyOf('log', webhook), id)
  redis.call('UNLINK', keyOf('delivery', webhook .. '/' .. id))
`,
});

/** `dropForgotten(webhook, kind)`: forgets from the front of a list, until one is known. Answers how many. */
export const DROP_FORGOTTEN = defineFragment({
  uses: [KEY_OF, FORGET],
  rareFunction: 'dropForgotten(webhook, kind)',
  body: `
  for dropped = 0, ${MAX_FORGOTTEN - 1} do
    local id = redis.call('ZRANGE', keyOf(kind, webhook), 0, 0)[1]
    if not id then return dropped end
    local expiresAtMs, state = unpack(
      redis.call('HMGET', keyOf('delivery', webhook .. '/' .. id), 'expiresAtMs', 'state'))
    if expiresAtMs and now < tonumber(expiresAtMs) then return dropped end
    forget(webhook, id, state)
  end
  return ${MAX_FORGOTTEN}
`,
});

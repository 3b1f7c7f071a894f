import { defineFragment } from '../../../define-fragment.ts';
import { KEEP_UNTIL } from '../../fragments/keep-until.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DEAD_MEMBER } from './dead-member.ts';

/**
 * `markDead(webhook, id, reason)`: marks a delivery as dead that waits nowhere and is not in flight any more.
 *
 * The caller has taken it out of where it was: after a removal a full Redis refuses nothing.
 */
export const MARK_DEAD = defineFragment({
  uses: [KEY_OF, KEEP_UNTIL, DEAD_MEMBER],
  rareFunction: 'markDead(webhook, id, reason)',
  body: `
  local deliveryKey = keyOf('delivery', webhook .. '/' .. id)
  local createdAtMs, sequence, expiresAtMs = unpack(
    redis.call('HMGET', deliveryKey, 'createdAtMs', 'sequence', 'expiresAtMs'))
  redis.call('HSET', deliveryKey, 'state', 'dead', 'deadReason', reason)
  local deadKey = keyOf('dead', webhook)
  redis.call('ZADD', deadKey, createdAtMs, deadMember(sequence, id))
  keepUntil(deadKey, tonumber(expiresAtMs))
`,
});

import { defineFragment } from '../../../define-fragment.ts';
import { SCHEDULED } from '../../../delivery-record.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DEAD_MEMBER } from './dead-member.ts';
import { HOLD } from './hold.ts';
import { JOIN_RETRIES } from './join-retries.ts';
import { LINES } from './lines.ts';
import { NEXT_TURN_MS } from './next-turn-ms.ts';
import { RATE } from './rate.ts';
import { SCHEDULE } from './schedule.ts';

/**
 * What `resend`, `recover` and `release` have in common: deliveries that go on from their beginning. A `line` is one
 * that `openLine` answers.
 *
 * - `askedAtMs(line, id, isFirst)`: when one that is in its line is scheduled for.
 * - `beginRun(line, id, state, run, atMs)`: a new run, with all tries. An engine may still hold what it
 *   had for the old one, and would ignore the same again. Answers the record `SCHEDULED`.
 * - `beginAsRetry(line, id, run)`: the same, behind what waits to be tried again.
 * - `restart(line, delivery)`: the same, for one that ended, as `knownDelivery` answers it. Of a disabled webhook it is
 *   held, and the run comes with its release: answers `nil`.
 */
export const RESTART = defineFragment({
  uses: [KEY_OF, LINES, NEXT_TURN_MS, RATE, SCHEDULE, DEAD_MEMBER, JOIN_RETRIES, HOLD],
  lua: `
local function askedAtMs(line, id, isFirst)
  local rank = rankOf(line, id, isFirst)
  return mayStart(line.rate, rank) and now or nextTurnMs(line.rate, rank)
end

local function beginRun(line, id, state, run, atMs)
  redis.call('HSET', keyOf('delivery', line.webhook .. '/' .. id),
    'state', state, 'run', run + 1, 'triesBefore', 0, 'lost', 0, 'notBeforeMs', now)
  schedule(line.webhook, id, atMs, line.activeMs)
  return ${SCHEDULED.of({ deliveryId: 'id', run: 'run + 1', delayMs: 'atMs - now' })}
end

local function beginAsRetry(line, id, run)
  joinRetries(line.webhook, id)
  return beginRun(line, id, 'waiting', run, askedAtMs(line, id, false))
end

local function restart(line, delivery)
  local webhook, id = line.webhook, delivery.id
  if delivery.state == 'dead' then
    redis.call('ZREM', keyOf('dead', webhook), deadMember(delivery.sequence, id))
  end
  redis.call('HDEL', keyOf('delivery', webhook .. '/' .. id), 'deadReason')
  if line.isDisabled then
    hold(webhook, id, delivery.sequence, delivery.expiresAtMs)
    return nil
  end
  redis.call('ZREM', keyOf('held', webhook), id)
  return beginAsRetry(line, id, delivery.run)
end
`,
});

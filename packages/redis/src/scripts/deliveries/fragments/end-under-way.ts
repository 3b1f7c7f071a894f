import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { LEAVE_IN_FLIGHT } from './leave-in-flight.ts';
import { LOG_ATTEMPT } from './log-attempt.ts';
import { MARK_DEAD } from './mark-dead.ts';

/**
 * `endUnderWay(line, id, maxLostAttempts, withdrawnStartAtMs)`: ends the attempt in flight of a delivery that is asked
 * to start again. Answers what came of it, the state and the attempts of the delivery after it, and for how much longer
 * the attempt has a lease, ms:
 *
 * - `withdrawn`: it was the one that started at that time, and was too late. Its number and its start are free again.
 * - `lost`: its lease is over. It is counted here, by the next start of its delivery, so that it is counted once.
 * - `poisoned`: the same, and it was the last. The delivery is dead.
 * - `under_way`: it is another one, whose lease is not over. Nothing changed.
 *
 * After the first two it is scheduled nowhere: the caller starts it, or has it wait. A removal comes first, so that a
 * full Redis refuses none of this.
 */
export const END_UNDER_WAY = defineFragment({
  uses: [KEY_OF, LEAVE_IN_FLIGHT, LOG_ATTEMPT, MARK_DEAD],
  rareFunction: 'endUnderWay(line, id, maxLostAttempts, withdrawnStartAtMs)',
  body: `
  local webhook = line.webhook
  local deliveryKey = keyOf('delivery', webhook .. '/' .. id)
  local run, sequence, attempt, lost, startedAtMs, leaseEndedAtMs = unpack(redis.call('HMGET', deliveryKey,
    'run', 'sequence', 'attempt', 'lost', 'startedAtMs', 'leaseEndedAtMs'))
  local leaseEndsAtMs = tonumber(redis.call('ZSCORE', keyOf('inFlight', webhook), id) or leaseEndedAtMs or 0)
  attempt, lost = tonumber(attempt), tonumber(lost or 0) + 1

  local function withdraw()
    redis.call('LREM', line.rate.startsKey, 1, startedAtMs)
    -- It may be the last of its list, which takes its time to live with it.
    redis.call('HDEL', keyOf('webhook', webhook), 'startsUntilMs')
    local before = attempt - 1
    local state = before == 0 and run == '1' and 'queued' or 'waiting'
    redis.call('HSET', deliveryKey, 'state', state, 'attempt', before)
    if before == 0 then redis.call('HDEL', deliveryKey, 'attempt') end
    if state == 'queued' then redis.call('ZADD', keyOf(state, webhook), sequence, id) end
    return 'withdrawn', state, before
  end

  local function lose()
    local result = '[null,' .. math.max(0, leaseEndsAtMs - startedAtMs) .. ',"lost"]'
    logAttempt(deliveryKey, attempt, startedAtMs, result, 'null',
      'state', 'waiting', 'notBeforeMs', now, 'lost', lost)
    if lost >= maxLostAttempts then
      markDead(webhook, id, 'poison')
      return 'poisoned'
    end
    return 'lost', 'waiting', attempt
  end

  local isWithdrawn = startedAtMs == withdrawnStartAtMs
  if now < leaseEndsAtMs and not isWithdrawn then return 'under_way', 'sending', attempt, leaseEndsAtMs - now end
  leaveInFlight(webhook, id)
  if isWithdrawn then return withdraw() end
  return lose()
`,
});

import { ATTEMPTS_KEPT, RESPONSES_KEPT } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { ATTEMPT } from '../../../delivery-record.ts';

const { at } = ATTEMPT;

/**
 * `logAttempt(deliveryKey, attempt, startedAtMs, result, response, ...)`: an attempt that ended, and further fields.
 * Both are JSON, as `serialiseResult` and `serialiseResponse` write it. The result is kept under 64 bytes where all
 * went well, so that Redis packs the hash; the response has a field of its own, so that a list does not read it.
 */
export const LOG_ATTEMPT = defineFragment({
  lua: `
local function logAttempt(deliveryKey, attempt, startedAtMs, result, response, ...)
  redis.call('HSET', deliveryKey, 'attempt:' .. attempt, startedAtMs .. ' ' .. result, ...)
  if response ~= 'null' then redis.call('HSET', deliveryKey, 'response:' .. attempt, response) end
  if attempt > ${RESPONSES_KEPT} then
    redis.call('HDEL', deliveryKey, 'response:' .. attempt - ${RESPONSES_KEPT},
      'attempt:' .. attempt - ${ATTEMPTS_KEPT})
  end
end
`,
});

/**
 * `attemptsOf(deliveryKey, latest)`: the records `ATTEMPT` of those that are kept, oldest first. The latest may
 * be in flight still. `response` is `false`, as it was not read.
 */
export const ATTEMPTS_OF = defineFragment({
  lua: `
local function attemptsOf(deliveryKey, latest)
  if latest == 0 then return {} end
  local first, fields, attempts = math.max(1, latest - ${ATTEMPTS_KEPT}), {}, {}
  for attempt = first, latest do fields[#fields + 1] = 'attempt:' .. attempt end
  for index, result in ipairs(redis.call('HMGET', deliveryKey, unpack(fields))) do
    local attempt = first + index - 1
    if result then
      attempts[#attempts + 1] = ${ATTEMPT.of({ attempt: 'attempt', result: 'result', response: 'false' })}
    end
  end
  return attempts
end
`,
});

/** `addResponses(deliveryKey, attempts)`: adds what their receivers answered to those that `attemptsOf` answered. */
export const ADD_RESPONSES = defineFragment({
  lua: `
local function addResponses(deliveryKey, attempts)
  for index, attempt in ipairs(attempts) do
    local isKept = index > #attempts - ${RESPONSES_KEPT}
    local field = 'response:' .. attempt[${at.attempt}]
    attempt[${at.response}] = isKept and redis.call('HGET', deliveryKey, field) or 'null'
  end
end
`,
});

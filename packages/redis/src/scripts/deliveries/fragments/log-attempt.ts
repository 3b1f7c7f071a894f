/** A delivery that is sent again and again, or excused every minute for days, must not grow without bounds. */
const MAX_ATTEMPTS = 100;

/**
 * `logAttempt(deliveryKey, attempt, startedAtMs, result, ...)`: an attempt that ended, and further fields. `result` is JSON, as
 * `serialiseResult` writes it: kept under 64 bytes where all went well, so that Redis packs the hash.
 */
export const LOG_ATTEMPT = `
local function logAttempt(deliveryKey, attempt, startedAtMs, result, ...)
  redis.call('HSET', deliveryKey, 'attempt:' .. attempt, startedAtMs .. ' ' .. result, ...)
  if attempt > ${MAX_ATTEMPTS} then
    redis.call('HDEL', deliveryKey, 'attempt:' .. attempt - ${MAX_ATTEMPTS})
  end
end
`;

/** `attemptsOf(deliveryKey, latest)`: those that are kept, oldest first. The latest may be under way still. */
export const ATTEMPTS_OF = `
local function attemptsOf(deliveryKey, latest)
  if latest == 0 then return {} end
  local first, fields, attempts = math.max(1, latest - ${MAX_ATTEMPTS}), {}, {}
  for attempt = first, latest do fields[#fields + 1] = 'attempt:' .. attempt end
  for index, result in ipairs(redis.call('HMGET', deliveryKey, unpack(fields))) do
    if result then attempts[#attempts + 1] = {first + index - 1, result} end
  end
  return attempts
end
`;

import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { LOG_ENTRY_TEXT } from './log-entry.ts';

/**
 * Subtracted from the sequence of a returned delivery for its score in `retries`, which makes the score negative:
 * before all times.
 */
export const BEFORE_ALL_TIMES = 10 ** 15;

/**
 * `takeHeads(queue, most)`: adds at most `most` of the deliveries that may start next to `queue.taken`. Sets `hasMore`,
 * whether another delivery may start now; `nextRetryMs`, the time of the next retry; and `takenFresh`, how many were
 * never claimed before and were read from the log, from the cursor on.
 *
 * Each has `createdAtMs` of its message, except returned deliveries of which no attempt has ended.
 *
 * Returned deliveries, which were claimed and not started, come first; their scores in `retries` are negative, in the
 * order of publishing. Then due retries and fresh deliveries alternate.
 */
export const HEADS = defineFragment({
  uses: [KEY_OF, DIGITS, DELIVERY_TEXT, LOG_ENTRY_TEXT],
  lua: `
local function takeHeads(queue, most)
  most = math.max(0, most)
  local retries = redis.call('ZRANGE', keyOf('retries', queue.name), '0', digits(most), 'WITHSCORES')
  local at = queue.cursor - queue.first
  local fresh = redis.call('LRANGE', keyOf('log', queue.name), digits(at), digits(at + most))
  local isRetryLast, takenFresh, again, scoreAt = queue.wasRetryLast, 0, {}, 2
  local score = tonumber(retries[scoreAt])
  while #queue.taken < most do
    local entry = fresh[takenFresh + 1]
    if score and score <= now and (score < 0 or not entry or not isRetryLast) then
      if score >= 0 then isRetryLast = true end
      local attempt = {id = retries[scoreAt - 1], score = score, isRetry = true}
      again[#again + 1] = attempt
      queue.taken[#queue.taken + 1] = attempt
      scoreAt = scoreAt + 2
      score = tonumber(retries[scoreAt])
    elseif entry then
      takenFresh = takenFresh + 1
      isRetryLast = false
      local createdAtMs, id = parseEntry(entry)
      queue.taken[#queue.taken + 1] = {id = id, attempt = 1, sequence = queue.cursor + takenFresh - 1,
        createdAtMs = createdAtMs, failures = 0, notCounted = 0}
    else
      break
    end
  end
  if #again > 0 then
    local ids = {}
    for index, attempt in ipairs(again) do ids[index] = attempt.id end
    for index, text in ipairs(redis.call('HMGET', keyOf('deliveries', queue.name), unpack(ids))) do
      local attempt = again[index]
      local known = text and parseDelivery(text)
      attempt.attempt = known and known.attempt + 1 or 1
      attempt.failures = known and known.failures or 0
      attempt.notCounted = known and known.notCounted or 0
      attempt.createdAtMs = known and known.createdAtMs
      attempt.sequence = known and known.sequence or attempt.score + ${BEFORE_ALL_TIMES}
    end
  end
  queue.takenFresh, queue.isRetryLast = takenFresh, isRetryLast
  queue.hasMore = fresh[takenFresh + 1] or score and score <= now
  queue.nextRetryMs = score
end
`,
});

import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT } from './delivery-text.ts';
import { LOG_ENTRY_TEXT } from './log-entry.ts';

/**
 * The score of a returned delivery in `retries` is its sequence minus this number. Such a score is negative, so it
 * comes before all times.
 */
export const BEFORE_ALL_TIMES = 10 ** 15;

/**
 * `takeHeads(queue, most)`: appends to `queue.taken` the first deliveries that may start, up to `most` of them. `queue`
 * is the result of `readQueue`. Sets fields of `queue`: `hasMore`, whether another delivery may start now;
 * `nextRetryMs`, the time of the next retry; `takenFresh`, the number of fresh deliveries, which were never claimed
 * before; and `isRetryLast`, whether a retry was taken last.
 *
 * Each delivery in `taken` has `createdAt` of its message, as text, except returned deliveries whose first attempt has
 * not ended.
 *
 * Returned deliveries, which were claimed and not started or whose lease has expired, come first; their scores in
 * `retries` are negative, in the order of publishing. Then due retries and fresh deliveries alternate.
 *
 * Outer values: `now`.
 */
export const HEADS = defineFragment({
  uses: [KEY_OF, DIGITS, DELIVERY_TEXT, LOG_ENTRY_TEXT],
  lua: `
local function takeHeads(queue, most)
  most = math.max(0, most)
  -- Of both, one more than may be taken, to see whether another one could start. Retries: id, score, id, score ...
  local retries = redis.call('ZRANGE', keyOf('retries', queue.name), '0', digits(most), 'WITHSCORES')
  local fresh = redis.call('LRANGE', keyOf('fresh', queue.name), '0', digits(most))
  local isRetryLast, takenFresh, retried, scoreAt = queue.wasRetryLast, 0, {}, 2
  local score = tonumber(retries[scoreAt])
  while #queue.taken < most do
    local entry = fresh[takenFresh + 1]
    if score and score <= now and (score < 0 or not entry or not isRetryLast) then
      if score >= 0 then isRetryLast = true end
      local attempt = {id = retries[scoreAt - 1], score = score, isRetry = true}
      retried[#retried + 1] = attempt
      queue.taken[#queue.taken + 1] = attempt
      scoreAt = scoreAt + 2
      score = tonumber(retries[scoreAt])
    elseif entry then
      takenFresh = takenFresh + 1
      isRetryLast = false
      local createdAt, id = parseEntry(entry)
      queue.taken[#queue.taken + 1] = {id = id, attempt = '1', sequence = digits(queue.cursor + takenFresh - 1),
        createdAt = createdAt, failures = '0', notCounted = '0'}
    else
      break
    end
  end
  if #retried > 0 then
    local ids = {}
    for index, attempt in ipairs(retried) do ids[index] = attempt.id end
    for index, text in ipairs(redis.call('HMGET', keyOf('deliveries', queue.name), unpack(ids))) do
      local attempt = retried[index]
      -- A delivery without a text was returned before its first attempt had ended, so its score gives the sequence.
      local delivery = text and parseDelivery(text) or newDelivery(attempt.score + ${BEFORE_ALL_TIMES})
      attempt.attempt, attempt.sequence = delivery.attempt + 1, digits(delivery.sequence)
      attempt.failures, attempt.notCounted = delivery.failures, delivery.notCounted
      attempt.createdAt = delivery.createdAt
    end
  end
  queue.takenFresh, queue.isRetryLast = takenFresh, isRetryLast
  queue.hasMore = fresh[takenFresh + 1] or score and score <= now
  queue.nextRetryMs = score
end
`,
});

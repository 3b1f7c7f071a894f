import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `firstNotParked(webhook, line, parkedKind, place)`: the place of the first delivery in a line, from `place` on, that
 * is not parked; `nil` if all are.
 *
 * By a binary search, as behind a receiver that hangs tens of thousands are parked. The number not parked before a
 * place is that place minus the parked ones before the same score.
 */
export const FIRST_NOT_PARKED = defineFragment({
  uses: [KEY_OF],
  lua: `
local function firstNotParked(webhook, line, parkedKind, place)
  local lineKey, parkedKey = keyOf(line, webhook), keyOf(parkedKind, webhook)
  local last = redis.call('ZCARD', lineKey)
  if place >= last then return nil end
  if redis.call('ZCARD', parkedKey) == 0 then return place end
  local function notParkedBefore(middle)
    local score = redis.call('ZRANGE', lineKey, middle, middle, 'WITHSCORES')[2]
    return middle - redis.call('ZCOUNT', parkedKey, '-inf', score and '(' .. score or '+inf')
  end
  local notParked = notParkedBefore(place)
  if notParkedBefore(last) == notParked then return nil end
  while place < last do
    local middle = math.ceil((place + last) / 2)
    if notParkedBefore(middle) > notParked then last = middle - 1 else place = middle end
  end
  return place
end
`,
});

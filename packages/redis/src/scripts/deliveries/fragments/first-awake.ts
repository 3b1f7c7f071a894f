/**
 * `firstAwake(webhook, line, crowd, place)`: the place of the first in a line, from a place on, that does not sleep until
 * there is room; `nil`: none. Needs `keyOf`.
 *
 * Those that sleep are not walked through: of a receiver that hangs there are tens of thousands. Before any place of a
 * line so many are awake as the place says, less those of its crowd before the same score: a binary search.
 */
export const FIRST_AWAKE = `
local function firstAwake(webhook, line, crowd, place)
  local lineKey, crowdKey = keyOf(line, webhook), keyOf(crowd, webhook)
  local last = redis.call('ZCARD', lineKey)
  if place >= last then return nil end
  if redis.call('ZCARD', crowdKey) == 0 then return place end
  local function awakeBefore(middle)
    local score = redis.call('ZRANGE', lineKey, middle, middle, 'WITHSCORES')[2]
    return middle - redis.call('ZCOUNT', crowdKey, '-inf', score and '(' .. score or '+inf')
  end
  local awake = awakeBefore(place)
  if awakeBefore(last) == awake then return nil end
  while place < last do
    local middle = math.ceil((place + last) / 2)
    if awakeBefore(middle) > awake then last = middle - 1 else place = middle end
  end
  return place
end
`;

import { REWAKE_AFTER_MS } from '@latchhook/core/storage';
import { COUNTED_LINES } from './counted-lines.ts';
import { FORGET, MAX_FORGOTTEN } from './forget.ts';
import { LINE_UP } from './line-up.ts';

/**
 * `nextInLine(line, maxInFlight)`: where there is room and a delivery is parked, answers id, run and delay of the one
 * whose turn it is, if that is late, or else of the first that is parked; otherwise `'', 0, 0`. The one answered is not
 * parked from here on: the caller sees to it, and if it dies the delivery is due, and woken again. What is forgotten is
 * passed over, or those behind it would stay parked though there is room. Needs `keyOf`, `RATE` and `LINES`, and
 * includes the rest of what it needs: mostly nothing is parked, and no script comes here.
 */
export const NEXT_IN_LINE = `
${COUNTED_LINES}
${LINE_UP}
${FORGET}
local function firstParked(line)
  local first = {}
  for _, isFirst in ipairs({true, false}) do
    local _, parkedKind = linesOf(isFirst)
    local id = redis.call('ZRANGE', keyOf(parkedKind, line.webhook), 0, 0)[1]
    local rank = id and rankOf(line, id, isFirst)
    if id and (not first.id or rank < first.rank) then
      first = {id = id, rank = rank, isFirst = isFirst}
    end
  end
  return first
end

local function firstIn(line, isFirst) return redis.call('ZRANGE', keyOf(linesOf(isFirst), line.webhook), 0, 0)[1] end

local function whoseTurn(line)
  local id, isFirst = firstIn(line, line.wasRetryLast), line.wasRetryLast
  if not id then id, isFirst = firstIn(line, not isFirst), not isFirst end
  return {id = id, rank = 0, isFirst = isFirst}
end

local function lateHead(line)
  local head = whoseTurn(line)
  local dueMs = head.id and redis.call('ZSCORE', keyOf('due', line.webhook), head.id)
  if dueMs and tonumber(dueMs) <= now - ${REWAKE_AFTER_MS} then return head end
end

-- None where nobody is parked. Those before it are not parked, and take the room first: but not what is forgotten.
local function firstWithRoom(line, room)
  local first = firstParked(line)
  if not first.id then return nil end
  local late = lateHead(line)
  if late or first.rank < room then return late or first end
  if dropForgotten(line.webhook, 'queued') + dropForgotten(line.webhook, 'retries') == 0 then return nil end
  line.retries = nil
  first = firstParked(line)
  return first.id and first.rank < room and first or nil
end

local function nextInLine(line, maxInFlight)
  local webhook = line.webhook
  local room = maxInFlight - inFlightOf(webhook)
  if room <= 0 then return '', 0, 0 end
  for _ = 1, ${MAX_FORGOTTEN} do
    local first = firstWithRoom(line, room)
    if not first then return '', 0, 0 end
    local found = redis.call('HMGET', keyOf('delivery', webhook .. '/' .. first.id), 'run', 'expiresAtMs')
    if found[1] and now < tonumber(found[2]) then
      local atMs = lineUp(line, first)
      return first.id, found[1], atMs - now
    end
    forget(webhook, first.id)
    line.retries = nil
  end
  return '', 0, 0
end
`;

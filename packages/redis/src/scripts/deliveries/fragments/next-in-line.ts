import { REWAKE_AFTER_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { DROP_FROM_LINES } from './drop-from-lines.ts';
import { FORGET, MAX_FORGOTTEN } from './forget.ts';
import { LINE_UP } from './line-up.ts';
import { LINES } from './lines.ts';
import { OPEN_LINE } from './open-line.ts';

/**
 * `nextInLine(webhook, maxInFlight, marginMs)`: the delivery to wake, as id, run and delay; `'', 0, 0` if there is
 * none. `marginMs` is as for `openLine`.
 *
 * If there is room, it is the one whose turn it is, if that is late, or else the first that is parked. It is not parked
 * any more: the caller starts it, and if that process dies, the delivery is due, and is woken again. What is forgotten
 * is passed over, or those behind it would stay parked though there is room.
 */
export const NEXT_IN_LINE = defineFragment({
  uses: [KEY_OF, OPEN_LINE, LINES, FORGET, DROP_FROM_LINES, LINE_UP],
  rareFunction: 'nextInLine(webhook, maxInFlight, marginMs)',
  body: `
  local line = openLine(webhook, marginMs)

  local function firstIn(isFirst) return redis.call('ZRANGE', keyOf(linesOf(isFirst), webhook), 0, 0)[1] end

  local function firstParked()
    local first = {}
    for _, isFirst in ipairs({true, false}) do
      local _, parkedKind = linesOf(isFirst)
      local id = redis.call('ZRANGE', keyOf(parkedKind, webhook), 0, 0)[1]
      local rank = id and rankOf(line, id, isFirst)
      if id and (not first.id or rank < first.rank) then
        first = {id = id, rank = rank, isFirst = isFirst}
      end
    end
    return first.id and first
  end

  local function whoseTurn()
    local id, isFirst = firstIn(line.wasRetryLast), line.wasRetryLast
    if not id then id, isFirst = firstIn(not isFirst), not isFirst end
    return id and {id = id, rank = 0, isFirst = isFirst}
  end

  local function lateHead()
    local head = whoseTurn()
    local dueMs = head and redis.call('ZSCORE', keyOf('due', webhook), head.id)
    return dueMs and tonumber(dueMs) <= now - ${REWAKE_AFTER_MS} and head
  end

  -- None where nobody is parked. Those before it are not parked, and take the room first: but not what is forgotten.
  local function firstWithRoom(room)
    local first = firstParked()
    if not first then return nil end
    local late = lateHead()
    if late or first.rank < room then return late or first end
    if dropFromLines(line) == 0 then return nil end
    first = firstParked()
    return first and first.rank < room and first
  end

  local room = maxInFlight - inFlightOf(webhook)
  if room <= 0 then return '', 0, 0 end
  for _ = 1, ${MAX_FORGOTTEN} do
    local first = firstWithRoom(room)
    if not first then return '', 0, 0 end
    local run, expiresAtMs = unpack(
      redis.call('HMGET', keyOf('delivery', webhook .. '/' .. first.id), 'run', 'expiresAtMs'))
    if run and now < tonumber(expiresAtMs) then return first.id, run, lineUp(line, first) - now end
    forget(webhook, first.id)
  end
  return '', 0, 0
`,
});

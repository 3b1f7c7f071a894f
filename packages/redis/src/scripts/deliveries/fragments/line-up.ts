import { NEXT_TURN_MS } from './next-turn-ms.ts';
import { SCHEDULE } from './schedule.ts';

/**
 * `lineUp(line, delivery, obstacle, request)`: has a delivery wait in its line, parked if the obstacle is room, and
 * answers when it is scheduled for; without an obstacle: now. Reads `id`, `isFirst` and `rank` of the delivery,
 * `maxInFlight` and `leaseMs` of the request. Needs `LINES`, `RATE` and `COUNTED_LINES`.
 */
export const LINE_UP = `
${NEXT_TURN_MS}
${SCHEDULE}
local function lineUp(line, delivery, obstacle, request)
  local webhook, id, kind, parkedKind = line.webhook, delivery.id, linesOf(delivery.isFirst)
  local atMs = mayStart(line.rate, delivery.rank) and now or nextTurnMs(line.rate, delivery.rank)
  if obstacle == 'in_flight' then
    -- When there is room at the worst, if every attempt takes its whole lease. It is woken sooner.
    atMs = math.max(atMs, now + math.ceil(request.leaseMs * (delivery.rank / request.maxInFlight + 1)))
    enter(parkedKind, webhook, id, redis.call('ZSCORE', keyOf(kind, webhook), id))
  elseif line.parked ~= 0 then
    leave(parkedKind, webhook, id)
  end
  schedule(webhook, id, atMs, line.activeMs)
  return atMs
end
`;

import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './counted-lines.ts';
import { LINES } from './lines.ts';
import { NEXT_TURN_MS } from './next-turn-ms.ts';
import { RATE } from './rate.ts';
import { SCHEDULE } from './schedule.ts';

/**
 * `lineUp(line, delivery, obstacle, request)`: has a delivery wait in its line, parked if the obstacle is room, and
 * answers when it is scheduled for; without an obstacle: now. Reads `id`, `isFirst` and `rank` of the delivery,
 * `maxInFlight` and `leaseMs` of the request.
 */
export const LINE_UP = defineFragment({
  uses: [KEY_OF, RATE, LINES, COUNTED_LINES, NEXT_TURN_MS, SCHEDULE],
  rareFunction: 'lineUp(line, delivery, obstacle, request)',
  body: `
  local webhook, id, kind, parkedKind = line.webhook, delivery.id, linesOf(delivery.isFirst)
  local atMs = mayStart(line.rate, delivery.rank) and now or nextTurnMs(line.rate, delivery.rank)
  if obstacle == 'in_flight' then
    -- When there is room at the worst, if every attempt takes its whole lease. It is woken sooner.
    local roomAfterMs = math.ceil(request.leaseMs * (delivery.rank / request.maxInFlight + 1))
    atMs = math.max(atMs, math.max(now, line.rate.pauseEndsMs) + roomAfterMs)
    enter(parkedKind, webhook, id, redis.call('ZSCORE', keyOf(kind, webhook), id))
  elseif line.parked ~= 0 then
    leave(parkedKind, webhook, id)
  end
  schedule(webhook, id, atMs, line.activeMs)
  return atMs
`,
});

/**
 * `leaveInFlight(webhook, id)`: the attempt of a delivery is not in flight any more. Needs `keyOf`.
 *
 * It is in `inFlight`; or in `due`, if its lease was over and `overdue` has told of it.
 */
export const LEAVE_IN_FLIGHT = `
local function leaveInFlight(webhook, id)
  if redis.call('ZREM', keyOf('inFlight', webhook), id) == 1 then return end
  redis.call('ZREM', keyOf('due', webhook), id)
end
`;

/**
 * `putOff(webhook, id, kind, dueAtMs, untilMs)`: a delivery of `due` or `flying` that is late is to be asked for anew,
 * and not before. `dueAtMs` is what the set has it by. Needs `keyOf`. `active` has to be settled afterwards.
 *
 * What leaves `flying` has a lease that is over, and takes no room either way. Those that were told would else stay
 * before those that were not, and each look would read past them. When the lease was over, the hash of the delivery
 * says from then on: it is how long the attempt took. A removal comes first, so that a full Redis refuses nothing.
 */
export const PUT_OFF = `
local function putOff(webhook, id, kind, dueAtMs, untilMs)
  redis.call('ZREM', keyOf(kind, webhook), id)
  redis.call('ZADD', keyOf('due', webhook), untilMs, id)
  if kind == 'flying' then
    redis.call('HSET', keyOf('delivery', webhook .. '/' .. id), 'leaseEndedAtMs', dueAtMs)
  end
end
`;

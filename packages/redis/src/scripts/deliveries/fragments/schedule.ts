/**
 * `schedule(webhook, id, atMs)`: a delivery is to be asked for then. Needs `keyOf`.
 *
 * `active` names the webhook by a time before which nothing of it is due: it is put back here and where a
 * lease begins, and put on by `overdue` alone, when that looks. So it costs no reading on the way.
 */
export const SCHEDULE = `
local function schedule(webhook, id, atMs)
  redis.call('ZADD', keyOf('due', webhook), atMs, id)
  redis.call('ZADD', rootKey .. ':active', 'LT', atMs, webhook)
end
`;

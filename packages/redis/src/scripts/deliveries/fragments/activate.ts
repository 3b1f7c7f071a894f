/**
 * `activate(webhook, atMs, activeMs)`: something of the webhook is due then.
 *
 * `active` names the webhook by a time before which nothing of it is due: it is put back here, and put on by
 * `settleActive` alone, for `overdue`. So it costs no reading on the way.
 *
 * `activeMs` of the webhook's hash is a time that `active` has it by, or a later one: what is due at that time or
 * after it has nothing to put back. It is passed as it was read, or `nil`. The answer is whether there may have been
 * something to put back: who notes then that `activeMs` is `atMs` by now, saves the next one the asking.
 */
export const ACTIVATE = `
local function activate(webhook, atMs, activeMs)
  if activeMs and atMs >= tonumber(activeMs) then return false end
  redis.call('ZADD', rootKey .. ':active', 'LT', atMs, webhook)
  return true
end
`;

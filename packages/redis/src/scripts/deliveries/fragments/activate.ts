import { defineFragment } from '../../../define-fragment.ts';

/**
 * `activate(webhook, atMs, activeMs)`: something of the webhook is due at `atMs`.
 *
 * `active` has each webhook by a time before which nothing of it is due. This only ever moves that time back; only
 * `settleActive`, for `overdue`, moves it forward. So nothing has to be read here.
 *
 * `activeMs` of the webhook's hash is that time or a later one: whatever is due then or after it needs no move. It is
 * passed as it was read, or `nil`. Answers whether a command was needed; a caller that then sets `activeMs` to `atMs`
 * saves the next one.
 */
export const ACTIVATE = defineFragment({
  lua: `
local function activate(webhook, atMs, activeMs)
  if activeMs and atMs >= tonumber(activeMs) then return false end
  redis.call('ZADD', rootKey .. ':active', 'LT', atMs, webhook)
  return true
end
`,
});

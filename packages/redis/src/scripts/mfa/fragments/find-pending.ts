import { defineFragment } from '../../../define-fragment.ts';

/** `findPending(pendingKey)`: `{enrolmentId, sealedSecret, expiresAtMs}` until it expires, or `nil`. */
export const FIND_PENDING = defineFragment({
  lua: `
local function findPending(pendingKey)
  local found = redis.call('HMGET', pendingKey, 'enrolmentId', 'sealedSecret', 'expiresAtMs')
  if found[1] and now < tonumber(found[3]) then return found end
end
`,
});

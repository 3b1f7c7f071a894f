import { defineFragment } from '../../../define-fragment.ts';

/** `findPending(pendingKey)`: `enrolmentId` and `sealedSecret` until it expires, or `nil`. */
export const FIND_PENDING = defineFragment({
  lua: `
local function findPending(pendingKey)
  local enrolmentId, sealedSecret, expiresAtMs = unpack(
    redis.call('HMGET', pendingKey, 'enrolmentId', 'sealedSecret', 'expiresAtMs'))
  if not enrolmentId or now >= tonumber(expiresAtMs) then return nil end
  return {enrolmentId = enrolmentId, sealedSecret = sealedSecret}
end
`,
});

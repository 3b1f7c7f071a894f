import { defineFragment } from '../../../define-fragment.ts';

/**
 * `findPending(pendingKey, sessionId)`: the pending enrolment of a session, with `enrolmentId` and `encryptedSecret`;
 * `nil` if there is none or it has expired.
 *
 * Outer values: `now`.
 */
export const FIND_PENDING = defineFragment({
  lua: `
local function findPending(pendingKey, sessionId)
  local pendingJson = redis.call('HGET', pendingKey, sessionId)
  local pending = pendingJson and cjson.decode(pendingJson)
  if not pending or now >= pending.expiresAtMs then return nil end
  return pending
end
`,
});

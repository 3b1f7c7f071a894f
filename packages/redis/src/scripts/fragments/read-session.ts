import { defineFragment } from '../../define-fragment.ts';

/** `readSession(sessionKey)`: a record as `parseSessionRecord` reads it, or `nil`. */
export const READ_SESSION = defineFragment({
  lua: `
local function readSession(sessionKey)
  local record = redis.call('HMGET', sessionKey,
    'grant', 'createdAtMs', 'expiresAtMs', 'rotatedAtMs', 'generation')
  if record[1] then return record end
end
`,
});

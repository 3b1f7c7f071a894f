import { defineFragment } from '../../define-fragment.ts';
import { SESSION } from '../../session-record.ts';

/** `readSession(sessionKey)`: the record `SESSION`, or `nil`. */
export const READ_SESSION = defineFragment({
  lua: `
local function readSession(sessionKey)
  local record = redis.call('HMGET', sessionKey, ${SESSION.stored})
  if record[${SESSION.at.grant}] then return record end
end
`,
});

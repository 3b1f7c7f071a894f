import { defineFragment } from '../../define-fragment.ts';

/** A year: far beyond the challenges that a session version guards, and the codes that a TOTP step guards. */
const USER_TTL_MS = 365 * 86_400_000;

/** A suspension does not end by time. Ten years stand for that, so that no key is kept for ever. */
const SUSPENDED_TTL_MS = 10 * USER_TTL_MS;

/** `keepUser(userKey)`: prolongs the user hash, if there is one. Call it in each transition that writes to it. */
export const KEEP_USER = defineFragment({
  lua: `
local function keepUser(userKey)
  local isSuspended = redis.call('HEXISTS', userKey, 'suspended') == 1
  redis.call('PEXPIRE', userKey, isSuspended and ${SUSPENDED_TTL_MS} or ${USER_TTL_MS})
end
`,
});

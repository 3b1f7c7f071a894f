import { defineFragment } from '../../define-fragment.ts';

/** A year: far longer than the life of a challenge, which depends on the session version, and of a TOTP code. */
const USER_TTL_MS = 365 * 86_400_000;

/** A suspension has no end. Ten years approximate that, so that no key is kept for ever. */
const SUSPENDED_TTL_MS = 10 * USER_TTL_MS;

/**
 * `keepUser(userKey)`: extends the time to live of the user hash, if there is one. Call it in each transition that
 * writes to the hash.
 */
export const KEEP_USER = defineFragment({
  lua: `
local function keepUser(userKey)
  local isSuspended = redis.call('HEXISTS', userKey, 'suspended') == 1
  redis.call('PEXPIRE', userKey, isSuspended and ${SUSPENDED_TTL_MS} or ${USER_TTL_MS})
end
`,
});

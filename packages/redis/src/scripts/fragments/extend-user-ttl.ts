import { defineFragment } from '../../define-fragment.ts';

/**
 * A year: far longer than the life of a TOTP code and of a challenge, which needs the session version of this hash.
 */
const USER_TTL_MS = 365 * 86_400_000;

/** A suspension has no end. Ten years approximate that, so that no key is kept for ever. */
const SUSPENDED_TTL_MS = 10 * USER_TTL_MS;

/**
 * `extendUserTtl(userKey)`: extends the time to live of the user's hash, if the hash exists. Call it in each transition
 * that writes to the hash.
 */
export const EXTEND_USER_TTL = defineFragment({
  lua: `
local function extendUserTtl(userKey)
  local isSuspended = redis.call('HEXISTS', userKey, 'suspended') == 1
  redis.call('PEXPIRE', userKey, isSuspended and ${SUSPENDED_TTL_MS} or ${USER_TTL_MS})
end
`,
});

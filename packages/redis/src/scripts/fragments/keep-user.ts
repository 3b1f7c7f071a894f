/** A year: far beyond the challenges that an epoch guards, and the codes that a TOTP step guards. */
const USER_TTL_MS = 365 * 86_400_000;

/** A suspension ends by `unlock` alone. Ten years stand for that, so that nothing is kept for ever. */
const SUSPENDED_TTL_MS = 10 * USER_TTL_MS;

/** `keepUser(userKey)`: after each transition that uses the user hash, if there is one. */
export const KEEP_USER = `
local function keepUser(userKey)
  local isSuspended = redis.call('HEXISTS', userKey, 'suspended') == 1
  redis.call('PEXPIRE', userKey, isSuspended and ${SUSPENDED_TTL_MS} or ${USER_TTL_MS})
end
`;

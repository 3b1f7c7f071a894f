/** `forgetFailures(userKey)`: everything but the last TOTP step, since a used code stays used. */
export const FORGET_FAILURES = `
local function forgetFailures(userKey)
  redis.call('HDEL', userKey, 'failures', 'lockedUntilMs', 'suspended')
end
`;

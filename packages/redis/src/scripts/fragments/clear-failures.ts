import { defineFragment } from '../../define-fragment.ts';

/**
 * `clearFailures(userKey)`: clears the failures, a lock and a suspension. The last TOTP step is kept, so that used
 * codes stay used.
 */
export const CLEAR_FAILURES = defineFragment({
  lua: `
local function clearFailures(userKey)
  redis.call('HDEL', userKey, 'failures', 'lockedUntilMs', 'suspended')
end
`,
});

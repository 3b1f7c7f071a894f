import { defineFragment } from '../../define-fragment.ts';

/**
 * `forgetFailures(userKey)`: clears the failures, a lock and a suspension. The last TOTP step is kept, so that used
 * codes stay used.
 */
export const FORGET_FAILURES = defineFragment({
  lua: `
local function forgetFailures(userKey)
  redis.call('HDEL', userKey, 'failures', 'lockedUntilMs', 'suspended')
end
`,
});

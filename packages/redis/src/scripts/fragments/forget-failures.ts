import { defineFragment } from '../../define-fragment.ts';

/** `forgetFailures(userKey)`: lifts locks and suspension too. The last TOTP step stays: used codes stay used. */
export const FORGET_FAILURES = defineFragment({
  lua: `
local function forgetFailures(userKey)
  redis.call('HDEL', userKey, 'failures', 'lockedUntilMs', 'suspended')
end
`,
});

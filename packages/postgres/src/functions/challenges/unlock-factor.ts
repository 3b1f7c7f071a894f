import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Clears the failed attempts of a user, and lifts a lock or a suspension. The last TOTP step is kept, so that used
 * codes stay used.
 *
 * Outcomes: `unlocked`.
 */
export const unlockFactorFunction = defineFunction({
  name: 'unlock_factor',
  args: { userId: 'text' },
  body: `
UPDATE users SET failures = 0, locked_until_ms = 0, is_suspended = false
WHERE user_id = p_user_id;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'unlocked');
`,
});

export async function unlockFactor(call: CallFunction, userId: string): Promise<void> {
  const result = await call(unlockFactorFunction, { userId });
  result.expectOutcome('unlocked');
}

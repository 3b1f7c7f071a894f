import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Removes the factor of a user, its recovery codes and all pending enrolments.
 *
 * Outcomes: `removed`; `none`, if there was no factor.
 */
export const removeFactorFunction = defineFunction({
  name: 'remove_factor',
  args: { userId: 'text' },
  body: `
PERFORM lock_user(p_user_id);
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
DELETE FROM pending_enrolments WHERE user_id = p_user_id;
DELETE FROM factors WHERE user_id = p_user_id;
RETURN json_build_object('outcome', CASE WHEN FOUND THEN 'removed' ELSE 'none' END);
`,
});

export async function removeFactor(call: CallFunction, userId: string): Promise<boolean> {
  const result = await call(removeFactorFunction, { userId });
  return result.outcome(['removed', 'none']) === 'removed';
}

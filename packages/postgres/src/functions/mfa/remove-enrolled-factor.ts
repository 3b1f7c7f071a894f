import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Removes the factor of a user and its recovery codes, if the factor comes from this enrolment.
 *
 * Outcomes: `removed`; `none`, also if the user has another factor.
 */
export const removeEnrolledFactorFunction = defineFunction({
  name: 'remove_enrolled_factor',
  args: { userId: 'text', enrolmentId: 'text' },
  body: `
PERFORM lock_user(p_user_id);
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
DELETE FROM factors WHERE user_id = p_user_id AND enrolment_id = p_enrolment_id;
RETURN json_build_object('outcome', CASE WHEN FOUND THEN 'removed' ELSE 'none' END);
`,
});

export async function removeEnrolledFactor(
  call: CallFunction,
  userId: string,
  enrolmentId: string,
): Promise<boolean> {
  const result = await call(removeEnrolledFactorFunction, { userId, enrolmentId });
  return result.outcome(['removed', 'none']) === 'removed';
}

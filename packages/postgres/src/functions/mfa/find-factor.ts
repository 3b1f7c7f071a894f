import type { EnrolledFactor } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { storedText } from '../../storable-text.ts';

/**
 * Finds the factor of a user, and counts the unused recovery codes, in one consistent view.
 *
 * Outcomes: `found`, with both; `none`.
 */
export const findFactorFunction = defineFunction({
  name: 'find_factor',
  args: { userId: 'text' },
  declare: 'result json;',
  body: `
now_ms := assert_not_expired(p_command_expires_at_ms, p_clock_ms);
SELECT json_build_object('outcome', 'found',
  'encryptedSecret', encrypted_secret, 'enrolmentId', enrolment_id, 'confirmedAtMs', confirmed_at_ms,
  'recoveryCodesLeft', (SELECT count(*) FROM recovery_codes c WHERE c.user_id = p_user_id))
INTO result FROM factors WHERE user_id = p_user_id;
RETURN coalesce(result, json_build_object('outcome', 'none'));
`,
});

export async function findFactor(
  call: CallFunction,
  userId: string,
): Promise<EnrolledFactor | null> {
  const result = await call(findFactorFunction, { userId });
  if (result.outcome(['found', 'none']) === 'none') return null;
  return {
    encryptedSecret: storedText(result.text('encryptedSecret')),
    enrolmentId: result.text('enrolmentId'),
    confirmedAtMs: result.integer('confirmedAtMs'),
    recoveryCodesLeft: result.integer('recoveryCodesLeft'),
  };
}

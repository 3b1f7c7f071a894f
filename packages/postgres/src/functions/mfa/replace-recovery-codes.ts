import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { digestOfCodes } from './digest-of-codes.ts';

/**
 * Replaces all recovery codes of a factor.
 *
 * Outcomes: `replaced`; `none`, if there is no factor.
 *
 * If these codes were the last ones issued, nothing changes because a repeated call must not restore a used code.
 */
export const replaceRecoveryCodesFunction = defineFunction({
  name: 'replace_recovery_codes',
  args: { userId: 'text', codes: 'json', codesDigest: 'text' },
  declare: 'stored_digest text;',
  body: `
PERFORM lock_user(p_user_id);
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT codes_given INTO stored_digest FROM factors WHERE user_id = p_user_id;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'none'); END IF;
IF stored_digest <> p_codes_digest THEN
  UPDATE factors SET codes_given = p_codes_digest WHERE user_id = p_user_id;
  PERFORM give_recovery_codes(p_user_id, p_codes);
END IF;
RETURN json_build_object('outcome', 'replaced');
`,
});

export async function replaceRecoveryCodes(
  call: CallFunction,
  userId: string,
  recoveryCodeHashes: readonly string[],
): Promise<boolean> {
  const codesDigest = digestOfCodes(recoveryCodeHashes);
  const args = { userId, codes: recoveryCodeHashes, codesDigest };
  const result = await call(replaceRecoveryCodesFunction, args);
  return result.outcome(['replaced', 'none']) === 'replaced';
}

import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Replaces the encrypted secret of a factor, if it equals the expected one.
 *
 * Outcomes: `replaced`, by this call or an earlier one; `unknown`, if there is another secret, or none.
 */
export const replaceEncryptedFactorFunction = defineFunction({
  name: 'replace_encrypted_factor',
  args: { userId: 'text', expected: 'text', replacement: 'text' },
  declare: 'encrypted text;',
  body: `
SELECT encrypted_secret INTO encrypted FROM factors WHERE user_id = p_user_id FOR UPDATE;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
IF encrypted = p_expected THEN
  UPDATE factors SET encrypted_secret = p_replacement WHERE user_id = p_user_id;
END IF;
RETURN json_build_object('outcome',
  CASE WHEN encrypted IN (p_expected, p_replacement) THEN 'replaced' ELSE 'unknown' END);
`,
});

export async function replaceEncryptedFactor(
  call: CallFunction,
  userId: string,
  { expected, replacement }: { readonly expected: string; readonly replacement: string },
): Promise<boolean> {
  const result = await call(replaceEncryptedFactorFunction, { userId, expected, replacement });
  return result.outcome(['replaced', 'unknown']) === 'replaced';
}

import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Replaces the sealed secret of a factor, if it is the expected one.
 *
 * Outcomes: `replaced`, by this call or one before; `unknown`, where there is another secret, or none.
 */
export const replaceSealedFactorFunction = defineFunction({
  name: 'replace_sealed_factor',
  args: { userId: 'text', expected: 'text', replacement: 'text' },
  declare: `
sealed text;
`,
  body: `
SELECT sealed_secret INTO sealed FROM factors WHERE user_id = p_user_id FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
IF sealed = p_expected THEN
  UPDATE factors SET sealed_secret = p_replacement WHERE user_id = p_user_id;
END IF;
RETURN json_build_object('outcome',
  CASE WHEN sealed IN (p_expected, p_replacement) THEN 'replaced' ELSE 'unknown' END);
`,
});

export async function replaceSealedFactor(
  call: CallFunction,
  userId: string,
  { expected, replacement }: { readonly expected: string; readonly replacement: string },
): Promise<boolean> {
  const answer = await call(replaceSealedFactorFunction, { userId, expected, replacement });
  return answer.outcome(['replaced', 'unknown']) === 'replaced';
}

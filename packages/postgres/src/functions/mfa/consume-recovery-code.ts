import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Consumes a recovery code.
 *
 * Outcomes: `consumed` by this call; `unknown`, also if the code was used before.
 */
export const consumeRecoveryCodeFunction = defineFunction({
  name: 'consume_recovery_code',
  args: { userId: 'text', codeHash: 'text' },
  body: `
DELETE FROM recovery_codes WHERE user_id = p_user_id AND code_hash = p_code_hash;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
-- FOUND is still that of the DELETE, as an assignment does not set it.
RETURN json_build_object('outcome', CASE WHEN FOUND THEN 'consumed' ELSE 'unknown' END);
`,
});

export async function consumeRecoveryCode(
  call: CallFunction,
  userId: string,
  codeHash: string,
): Promise<boolean> {
  const result = await call(consumeRecoveryCodeFunction, { userId, codeHash });
  return result.outcome(['consumed', 'unknown']) === 'consumed';
}

import type { EnrolledFactor } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { readFactor } from '../internal/factor-record.ts';

/** Finds the factor of a user. Outcome: `found`, with the factor or null. */
export const findFactorFunction = defineFunction({
  name: 'find_factor',
  args: { userId: 'text' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'found', 'factor', factor_record(p_user_id));
`,
});

export async function findFactor(
  call: CallFunction,
  userId: string,
): Promise<EnrolledFactor | null> {
  const result = await call(findFactorFunction, { userId });
  result.expectOutcome('found');
  const factor = result.objectOrNull('factor');
  return factor && readFactor(factor);
}

import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Deletes a counter.
 *
 * Outcomes: `forgotten`; `none`, if no window was open.
 */
export const forgetCounterFunction = defineFunction({
  name: 'forget_counter',
  args: { counterKey: 'text' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
DELETE FROM counters WHERE counter_key = p_counter_key AND now_ms < ends_at_ms;
RETURN json_build_object('outcome', CASE WHEN FOUND THEN 'forgotten' ELSE 'none' END);
`,
});

export async function forgetCounter(call: CallFunction, counterKey: string): Promise<boolean> {
  const result = await call(forgetCounterFunction, { counterKey });
  return result.outcome(['forgotten', 'none']) === 'forgotten';
}

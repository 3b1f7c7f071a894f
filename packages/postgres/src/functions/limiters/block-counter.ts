import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Opens a window with one point, which replaces an open window.
 *
 * Outcomes: `blocked`.
 */
export const blockCounterFunction = defineFunction({
  name: 'block_counter',
  args: { counterKey: 'text', windowMs: 'bigint' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
INSERT INTO counters (counter_key, points, ends_at_ms)
VALUES (p_counter_key, 1, now_ms + p_window_ms)
ON CONFLICT (counter_key) DO UPDATE SET points = 1, ends_at_ms = excluded.ends_at_ms;
RETURN json_build_object('outcome', 'blocked');
`,
});

export async function blockCounter(
  call: CallFunction,
  counterKey: string,
  windowMs: number,
): Promise<void> {
  const result = await call(blockCounterFunction, { counterKey, windowMs });
  result.expectOutcome('blocked');
}

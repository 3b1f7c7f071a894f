import { ConfigError } from '../errors.ts';

/** The longest delay of a timer of Node.js, ms; a longer one would end immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The deadline of a call of `drainDeliveries`, ms, limited to what a timer can measure. Below 0, as the rest of a time
 * that has passed, it is 0.
 *
 * @throws {ConfigError} `option_out_of_bounds`
 */
export function drainDeadlineMs(options: unknown): number {
  const { deadlineMs } = Object(options) as { readonly deadlineMs?: unknown };
  if (typeof deadlineMs === 'number' && !Number.isNaN(deadlineMs)) {
    return Math.min(Math.max(0, deadlineMs), MAX_TIMER_MS);
  }
  throw new ConfigError(
    'option_out_of_bounds',
    'drainDeliveries.deadlineMs must be a number: how long it may take, in ms, as in drainDeliveries({ deadlineMs: 5_000 })',
  );
}

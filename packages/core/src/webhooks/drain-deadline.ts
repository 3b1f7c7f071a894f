import { ConfigError } from '../errors.ts';
import { uncheckedFields } from '../unchecked-fields.ts';

/** The longest delay of a timer of Node.js, ms; a longer one would end immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The deadline of a call of `drainDeliveries`, ms, limited to what a timer can measure. A negative number counts as 0:
 * a caller may pass what is left of a time that is already over.
 *
 * @throws {ConfigError} `option_out_of_bounds`
 */
export function drainDeadlineMs(options: unknown): number {
  const { deadlineMs } = uncheckedFields<{ readonly deadlineMs: unknown }>(options);
  if (typeof deadlineMs === 'number' && !Number.isNaN(deadlineMs)) {
    return Math.min(Math.max(0, deadlineMs), MAX_TIMER_MS);
  }
  throw new ConfigError(
    'option_out_of_bounds',
    'drainDeliveries.deadlineMs must be a number: how long it may take, in ms, as in drainDeliveries({ deadlineMs: 5_000 })',
  );
}

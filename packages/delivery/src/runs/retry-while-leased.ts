import { type Awaitable, isPromise } from '@latchhook/core';
import { type DeliveryContext, monotonicMs, type Timers } from '@latchhook/core/delivery';

/** The first pause before a call is repeated, ms; each next one is twice as long. */
const FIRST_PAUSE_MS = 200;

/** What pauses are measured by. */
export interface LeaseDeps {
  readonly context: DeliveryContext;
  readonly timers: Timers;
}

/**
 * Repeats a call about an attempt for as long as it answers `null` (the store could not be asked) and the attempt's
 * lease holds. After that the store counts the attempt as lost, and the answer is `null`.
 *
 * @param lapsesAtMs - when the lease ends, by the monotonic clock, ms
 */
export function retryWhileLeased<Answer>(
  deps: LeaseDeps,
  lapsesAtMs: number,
  call: () => Awaitable<Answer | null>,
  pauseMs: number = FIRST_PAUSE_MS,
): Awaitable<Answer | null> {
  const asked = call();
  if (!isPromise(asked)) return asked;
  return asked.then(async (answer) => {
    if (answer !== null) return answer;
    if (monotonicMs(deps.context.clock) + pauseMs >= lapsesAtMs) return null;
    await new Promise<void>((resolve) => void deps.timers.after(pauseMs, resolve));
    return retryWhileLeased(deps, lapsesAtMs, call, 2 * pauseMs);
  });
}

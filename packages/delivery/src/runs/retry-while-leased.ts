import {
  type Awaitable,
  type DeliveryContext,
  isPromise,
  monotonicMs,
  type Timers,
} from '@latchhook/core';

/** The first pause before a call is repeated, ms; each next one is twice as long. */
const FIRST_PAUSE_MS = 200;

/** What pauses are measured by. */
export interface LeaseParts {
  readonly context: DeliveryContext;
  readonly timers: Timers;
}

/**
 * Repeats a call about an attempt that answers `null` where the store could not be asked, for as long as its lease
 * holds: what the store is not told by then, it takes for lost. `null` where it could not be told.
 *
 * @param lapsesAtMs - monotonic.
 */
export function retryWhileLeased<Answer>(
  parts: LeaseParts,
  lapsesAtMs: number,
  call: () => Awaitable<Answer | null>,
  pauseMs: number = FIRST_PAUSE_MS,
): Awaitable<Answer | null> {
  const asked = call();
  if (!isPromise(asked)) return asked;
  return asked.then(async (answer) => {
    if (answer !== null) return answer;
    if (monotonicMs(parts.context.clock) + pauseMs >= lapsesAtMs) return null;
    await new Promise<void>((resolve) => void parts.timers.after(pauseMs, resolve));
    return retryWhileLeased(parts, lapsesAtMs, call, 2 * pauseMs);
  });
}

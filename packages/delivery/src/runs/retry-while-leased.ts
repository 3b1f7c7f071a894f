import { type Awaitable, isPromise } from '@latchhook/core';
import { type DeliveryContext, monotonicMs, type Timers } from '@latchhook/core/delivery';

/** The first pause before a call is repeated, ms; each next one is twice as long. */
const FIRST_PAUSE_MS = 200;

/** The store could not be asked. The call boundary has reported that. */
export interface StoreUnavailable {
  readonly outcome: 'store_unavailable';
}

export const STORE_UNAVAILABLE: StoreUnavailable = { outcome: 'store_unavailable' };

/** What pauses are measured by. */
export interface LeaseDeps {
  readonly context: DeliveryContext;
  readonly timers: Timers;
}

/**
 * Repeats a call about an attempt for as long as the store is unavailable and the attempt's lease holds. After that the
 * store counts the attempt as lost, and the answer is that the store is unavailable.
 *
 * @param lapsesAtMs - when the lease ends, by the monotonic clock, ms
 */
export function retryWhileLeased<Answer extends { readonly outcome: string }>(
  deps: LeaseDeps,
  lapsesAtMs: number,
  call: () => Awaitable<Answer | StoreUnavailable>,
  pauseMs: number = FIRST_PAUSE_MS,
): Awaitable<Answer | StoreUnavailable> {
  const asked = call();
  if (!isPromise(asked)) return asked;
  return asked.then(async (answer) => {
    if (answer.outcome !== 'store_unavailable') return answer;
    if (monotonicMs(deps.context.clock) + pauseMs >= lapsesAtMs) return answer;
    await new Promise<void>((resolve) => void deps.timers.after(pauseMs, resolve));
    return retryWhileLeased(deps, lapsesAtMs, call, 2 * pauseMs);
  });
}

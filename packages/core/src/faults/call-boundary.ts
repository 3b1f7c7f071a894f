import { type Awaitable, isPromise } from '../awaitable.ts';
import { unavailable } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createDeadline } from './deadline.ts';
import { PendingCalls } from './pending-calls.ts';

/** A client waits two seconds at most for its 503; this leaves the rest of the request half a second. */
const CALL_DEADLINE_MS = 1_500;

/**
 * Runs one call of an adapter: bounds its time, and turns whatever it throws or rejects with into one refusal, which
 * is always a rejection.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export interface CallBoundary {
  <T>(call: () => Promise<T>): Promise<T>;
  /** An answer that is no promise is passed on as it is. */
  <T>(call: () => Awaitable<T>): Awaitable<T>;
}

/**
 * Makes the boundary around one of the host's adapters, or around the engine of its deliveries: every fault is emitted,
 * and answered as `temporarily_unavailable`, so that nothing is issued in doubt.
 *
 * @param pending - counts the calls, for closing. Of two calls at once, the one that fails first answers the request.
 */
export function createCallBoundary(
  where: 'storage' | 'directory' | 'delivery',
  emit: (event: SecurityEvent) => void,
  pending: PendingCalls = new PendingCalls(),
): CallBoundary {
  const withinDeadline = createDeadline(
    CALL_DEADLINE_MS,
    () => new Error(`the ${where} did not answer within ${CALL_DEADLINE_MS} ms`),
  );

  function refuse(error: unknown): Promise<never> {
    emit({ type: 'fault', where, error });
    return Promise.reject(unavailable(where, error));
  }

  return <T>(call: () => Promise<T>) => {
    try {
      const answer: Awaitable<T> = call();
      if (!isPromise(answer)) return answer;
      // It may be a thenable that resolves with another one: wrapped, the last of them has to settle in time.
      pending.begin();
      return withinDeadline(Promise.resolve(answer)).then(
        (value) => {
          pending.end();
          return value;
        },
        (error: unknown) => {
          pending.end();
          return refuse(error);
        },
      );
    } catch (error) {
      return refuse(error);
    }
  };
}

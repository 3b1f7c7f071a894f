import { type Awaitable, isPromise } from '../awaitable.ts';
import { type AuthError, unavailable } from '../errors.ts';
import { PendingCalls } from './pending-calls.ts';
import { createWithTimeout } from './with-timeout.ts';

/** A client waits two seconds at most for its 503; this leaves the rest of the request half a second. */
const CALL_TIMEOUT_MS = 1_500;

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

export interface CallBoundaryDeps {
  /** Counts the calls, for closing. */
  readonly pending?: PendingCalls;
  /**
   * Called with the refusal of each call that fails, for callers that emit no fault themselves. Default: nothing, as
   * whoever made the call does: see `emitFaultOf`.
   */
  readonly onFault?: (refusal: AuthError) => void;
}

/**
 * Makes the boundary around one of the host's adapters: every fault is answered as `temporarily_unavailable`, so that
 * nothing is issued in doubt. Of two calls at once, the one that fails first
 * answers the request.
 */
export function createCallBoundary(
  where: 'storage' | 'directory',
  { pending = new PendingCalls(), onFault = () => {} }: CallBoundaryDeps = {},
): CallBoundary {
  const withTimeout = createWithTimeout(
    CALL_TIMEOUT_MS,
    () => new Error(`the ${where} did not answer within ${CALL_TIMEOUT_MS} ms`),
  );

  function refuse(error: unknown): Promise<never> {
    const refusal = unavailable({ reason: `${where} unavailable`, where, cause: error });
    onFault(refusal);
    return Promise.reject(refusal);
  }

  return <T>(call: () => Promise<T>) => {
    try {
      const answer: Awaitable<T> = call();
      if (!isPromise(answer)) return answer;
      // It may be a thenable that resolves with another one: wrapped, the last of them has to settle in time.
      pending.begin();
      return withTimeout(Promise.resolve(answer)).then(
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

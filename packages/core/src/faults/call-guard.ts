import { type AuthError, unavailable } from '../errors.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import { PendingCalls } from './pending-calls.ts';
import { createWithTimeout } from './with-timeout.ts';

/** A client waits two seconds at most for its 503; this leaves the rest of the request half a second. */
const CALL_TIMEOUT_MS = 1_500;

/**
 * Runs one call of an adapter, with a timeout. If the call throws, rejects or is late, the returned promise rejects
 * with an `AuthError`; the guard itself never throws.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export interface CallGuard {
  <T>(call: () => Promise<T>): Promise<T>;
  /** A value that is no promise is returned as it is. */
  <T>(call: () => MaybePromise<T>): MaybePromise<T>;
}

export interface CallGuardDeps {
  /** Counts the calls, so that `close` can wait for them. */
  readonly pending?: PendingCalls;
  /**
   * Called with the rejection of each call that fails, for callers that emit no fault themselves. Default: nothing,
   * since the caller emits it: see `emitFaultOf`.
   */
  readonly onFault?: (rejection: AuthError) => void;
}

/**
 * Makes the guard around one of the host's adapters: every fault becomes `temporarily_unavailable`, so that nothing is
 * issued in doubt. Of two parallel calls, the first to fail decides the answer.
 */
export function createCallGuard(
  where: 'storage' | 'user_store' | 'host',
  { pending = new PendingCalls(), onFault = () => {} }: CallGuardDeps = {},
): CallGuard {
  const withTimeout = createWithTimeout(
    CALL_TIMEOUT_MS,
    () => new Error(`the ${where} did not answer within ${CALL_TIMEOUT_MS} ms`),
  );

  function reject(error: unknown): Promise<never> {
    const rejection = unavailable({ reason: `${where} unavailable`, where, cause: error });
    onFault(rejection);
    return Promise.reject(rejection);
  }

  return <T>(call: () => Promise<T>) => {
    try {
      const answer: MaybePromise<T> = call();
      if (!isPromise(answer)) return answer;
      // An adapter's thenable may resolve to another one: `Promise.resolve` follows both, so that the last is timed
      // too.
      pending.begin();
      return withTimeout(Promise.resolve(answer)).then(
        (value) => {
          pending.end();
          return value;
        },
        (error: unknown) => {
          pending.end();
          return reject(error);
        },
      );
    } catch (error) {
      return reject(error);
    }
  };
}

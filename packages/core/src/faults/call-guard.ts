import { type AuthError, unavailable } from '../errors.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import { PendingCalls } from './pending-calls.ts';
import { createWithTimeout } from './with-timeout.ts';

/** A client should get its 503 within two seconds: half a second is left for the rest of the request. */
const CALL_TIMEOUT_MS = 1_500;

/**
 * Runs one call of an adapter, with a timeout. If the call throws, rejects or times out, the returned promise rejects
 * with the `AuthError` `temporarily_unavailable`; the guard itself never throws.
 */
export interface CallGuard {
  <T>(call: () => Promise<T>): Promise<T>;
  /** Returns synchronously if the call does. */
  <T>(call: () => MaybePromise<T>): MaybePromise<T>;
}

export interface CallGuardDeps {
  /** What is called, for the errors. Default: `where`. */
  readonly name?: string;
  /** Counts the calls, so that `close` can wait for them. */
  readonly pending?: PendingCalls;
  /**
   * Called with the error of each call that fails, for callers that emit no fault themselves. Default: does nothing,
   * since the caller emits the fault by `emitFaultOf`.
   */
  readonly onFault?: (rejection: AuthError) => void;
}

/**
 * Creates the guard of one of the host's adapters: every fault becomes `temporarily_unavailable`, so that no token is
 * issued in doubt.
 */
export function createCallGuard(
  where: 'storage' | 'user_store' | 'host',
  { name = where, pending = new PendingCalls(), onFault = () => {} }: CallGuardDeps = {},
): CallGuard {
  const withTimeout = createWithTimeout(
    CALL_TIMEOUT_MS,
    () => new Error(`${name} did not answer within ${CALL_TIMEOUT_MS} ms`),
  );

  function reject(error: unknown): Promise<never> {
    const rejection = unavailable({ reason: `${name} unavailable`, where, cause: error });
    onFault(rejection);
    return Promise.reject(rejection);
  }

  return <T>(call: () => Promise<T>) => {
    try {
      // An adapter without types may return a value instead of a promise.
      const result: MaybePromise<T> = call();
      if (!isPromise(result)) return result;
      pending.begin();
      // `Promise.resolve`, because an adapter's thenable may resolve to another thenable, which must be awaited too.
      return withTimeout(Promise.resolve(result)).then(
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

// Imported, because fake timers replace only the globals, while I/O still completes in real time in such tests.
import { setImmediate } from 'node:timers';
import { type AuthError, unavailable } from '../errors.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';

/** A client should get its 503 within two seconds: half a second is left for the rest of the request. */
const CALL_TIMEOUT_MS = 1_500;

/** How long closing waits, ms: enough for two calls in succession, which time out after 1.5 s each. */
const LONGEST_WAIT_MS = 5_000;

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
    pending,
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
      // `Promise.resolve`, because an adapter's thenable may resolve to another thenable, which must be awaited too.
      return withTimeout(Promise.resolve(result)).catch(reject);
    } catch (error) {
      return reject(error);
    }
  };
}

/**
 * A call with its timeout: a node of a circular linked list. A `Set` would cost each call a microsecond more, as it
 * rehashes while calls come and go. A queue that calls can leave only at its head would keep all calls after one that
 * hangs.
 */
class TimedCall {
  readonly endsAtMs: number;
  readonly reject: (reason: Error) => void;
  before: TimedCall = this;
  after: TimedCall = this;

  constructor(endsAtMs: number, reject: (reason: Error) => void) {
    this.endsAtMs = endsAtMs;
    this.reject = reject;
  }

  /** Inserts this node before `other`. */
  insertBefore(other: TimedCall): void {
    this.before = other.before;
    this.after = other;
    this.before.after = this;
    other.before = this;
  }

  /** Returns whether the node was in a list. */
  remove(): boolean {
    if (this.after === this) return false;
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
    return true;
  }
}

/**
 * Creates a function that settles like its work, or rejects with `createError()` after `ms`; the work itself goes on.
 * Every call has its own timeout, unlike the calls of one transition, which share a `CallDeadline`. The process stays
 * alive while a call is pending.
 *
 * All calls share one timer, because a timer for each would cost more than a quick call.
 *
 * @param pending - counts the calls, until they end or time out
 */
export function createWithTimeout(
  ms: number,
  createError: () => Error,
  pending: PendingCalls = new PendingCalls(),
): <T>(work: Promise<T>) => Promise<T> {
  /** The sentinel. The calls after it are sorted by their ends, because all have the same timeout. */
  const ring = new TimedCall(Number.POSITIVE_INFINITY, () => {});
  let timer: NodeJS.Timeout | undefined;

  function begin(reject: TimedCall['reject']): TimedCall {
    pending.begin();
    const call = new TimedCall(performance.now() + ms, reject);
    call.insertBefore(ring);
    if (timer === undefined) timer = setTimeout(checkAtEndOfTurn, ms);
    // The only call: `end` has unreferenced the timer, which earlier calls have set.
    else if (ring.after === call) timer.ref();
    return call;
  }

  function end(call: TimedCall): void {
    if (!call.remove()) return;
    pending.end();
    if (ring.after === ring) timer?.unref();
  }

  /** Waits for the end of the event loop's turn, because a result may have arrived that was not read yet. */
  function checkAtEndOfTurn(): void {
    setImmediate(rejectLateCalls, performance.now());
  }

  /**
   * Rejects the calls whose timeout ended by `nowMs`, and sets the timer for the next one. `nowMs` is from before
   * results were read: a call whose timeout has ended since then may have a result that is not read yet.
   */
  function rejectLateCalls(nowMs: number): void {
    for (let first = ring.after; first.endsAtMs <= nowMs; first = ring.after) {
      end(first);
      first.reject(createError());
    }
    const isEmpty = ring.after === ring;
    timer = isEmpty
      ? undefined
      : setTimeout(checkAtEndOfTurn, Math.ceil(ring.after.endsAtMs - performance.now()));
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const call = begin(reject);
      // Both handlers stay attached after the timeout, so that a late rejection is never unhandled.
      work.then(
        (value) => {
          end(call);
          resolve(value);
        },
        (error: unknown) => {
          end(call);
          reject(error);
        },
      );
    });
}

/** Counts calls until they end, even if their request no longer waits for them. */
export class PendingCalls {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#waiting.size > 0) this.#finishIfIdle();
  }

  /**
   * Resolves once no call is pending, including the calls that follow from others; after `limitMs` at the latest,
   * because a host that still accepts requests may start new calls for ever.
   *
   * @returns whether nothing is pending
   */
  settled(limitMs: number = LONGEST_WAIT_MS): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(finish);
        resolve(this.#count === 0);
      };
      const timer = setTimeout(finish, limitMs);
      this.#waiting.add(finish);
      this.#finishIfIdle();
    });
  }

  /** Checks at the end of the event loop's turn: by then, a call that follows from the last one has begun. */
  #finishIfIdle(): void {
    setImmediate(() => {
      if (this.#count > 0) return;
      for (const finish of [...this.#waiting]) finish();
    });
  }
}

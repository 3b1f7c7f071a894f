// Imported, because fake timers replace only the globals, while I/O still completes in real time in such tests.
import { setImmediate } from 'node:timers';

/**
 * Settles like `work`, or rejects after the timeout. The work itself goes on. Every call has its own timeout, unlike
 * the calls of one transition, which share a `CallDeadline` of `storage/remote/`.
 */
export type WithTimeout = <T>(work: Promise<T>) => Promise<T>;

/** A pending call: a node of a circular linked list. */
class PendingCall {
  readonly endsAtMs: number;
  readonly reject: (reason: Error) => void;
  before: PendingCall = this;
  after: PendingCall = this;

  constructor(endsAtMs: number, reject: (reason: Error) => void) {
    this.endsAtMs = endsAtMs;
    this.reject = reject;
  }

  /** Inserts this node before `other`. */
  insertBefore(other: PendingCall): void {
    this.before = other.before;
    this.after = other;
    this.before.after = this;
    other.before = this;
  }

  /** Can be called twice. */
  remove(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
  }
}

/**
 * Creates a function that gives every call the timeout `ms`, after which the call rejects with `createError()`. The
 * process stays alive while a call is pending.
 *
 * All calls share one timer, because a timer for each would cost more than a quick call.
 */
export function createWithTimeout(ms: number, createError: () => Error): WithTimeout {
  /** The sentinel. The calls after it are sorted by their ends, because all have the same timeout. */
  const ring = new PendingCall(Number.POSITIVE_INFINITY, () => {});
  let timer: NodeJS.Timeout | undefined;

  function begin(reject: PendingCall['reject']): PendingCall {
    const call = new PendingCall(performance.now() + ms, reject);
    call.insertBefore(ring);
    if (timer === undefined) timer = setTimeout(checkAtEndOfTurn, ms);
    else if (ring.after === call) timer.ref();
    return call;
  }

  function end(call: PendingCall): void {
    call.remove();
    if (ring.after === ring) timer?.unref();
  }

  /** Waits for the end of the event loop's turn, because a result may have arrived that was not read yet. */
  function checkAtEndOfTurn(): void {
    setImmediate(rejectLateCalls, performance.now());
  }

  /** Rejects the calls that ended by `nowMs`. Sets a timer for the next one, whose result must be read first. */
  function rejectLateCalls(nowMs: number): void {
    for (let first = ring.after; first.endsAtMs <= nowMs; first = ring.after) {
      first.remove();
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

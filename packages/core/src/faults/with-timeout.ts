// Imported, since fake timers replace only the globals, and in such tests answers still come in real time.
import { setImmediate } from 'node:timers';

/**
 * Settles as `answer` does, or rejects when its time is up. The work itself goes on. Every answer has its own timeout;
 * the calls of one transition share a `CallDeadline` of `storage/remote/`.
 */
export type WithTimeout = <T>(answer: Promise<T>) => Promise<T>;

/** A promise that is awaited: a node of a circular linked list. */
class Waiting {
  readonly endsAtMs: number;
  readonly reject: (reason: Error) => void;
  before: Waiting = this;
  after: Waiting = this;

  constructor(endsAtMs: number, reject: (reason: Error) => void) {
    this.endsAtMs = endsAtMs;
    this.reject = reject;
  }

  /** Inserts this node before `other`. */
  insertBefore(other: Waiting): void {
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
 * Gives every answer the same time, `ms`; one that takes longer rejects with `late()`. The process stays alive while
 * any is awaited.
 *
 * All share one timer, since one for each would cost more than a quick answer.
 */
export function createWithTimeout(ms: number, late: () => Error): WithTimeout {
  /** The sentinel: after it, the nodes are in the order of their ends, since all have the same time. */
  const ring = new Waiting(Number.POSITIVE_INFINITY, () => {});
  let timer: NodeJS.Timeout | undefined;

  function begin(reject: Waiting['reject']): Waiting {
    const waiting = new Waiting(performance.now() + ms, reject);
    waiting.insertBefore(ring);
    if (timer === undefined) timer = setTimeout(checkAtEndOfTurn, ms);
    else if (ring.after === waiting) timer.ref();
    return waiting;
  }

  function end(waiting: Waiting): void {
    waiting.remove();
    if (ring.after === ring) timer?.unref();
  }

  /** Waits for the end of the event loop's turn, since an answer may have come that was not read yet. */
  function checkAtEndOfTurn(): void {
    setImmediate(rejectLate, performance.now());
  }

  /** Rejects those whose time was up at `nowMs`; for later ones it sets a timer, which gives them their own turn. */
  function rejectLate(nowMs: number): void {
    for (let first = ring.after; first.endsAtMs <= nowMs; first = ring.after) {
      first.remove();
      first.reject(late());
    }
    const isEmpty = ring.after === ring;
    timer = isEmpty
      ? undefined
      : setTimeout(checkAtEndOfTurn, Math.ceil(ring.after.endsAtMs - performance.now()));
  }

  return (answer) =>
    new Promise((resolve, reject) => {
      const waiting = begin(reject);
      // Both handlers stay attached, so that what comes too late is never unhandled.
      answer.then(
        (value) => {
          end(waiting);
          resolve(value);
        },
        (error: unknown) => {
          end(waiting);
          reject(error);
        },
      );
    });
}

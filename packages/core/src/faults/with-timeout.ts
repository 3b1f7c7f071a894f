// Not the global one: in a test with fake timers, answers still come in real time.
import { setImmediate } from 'node:timers';

/**
 * Settles as `answer` does, or rejects once its time is up. The work itself goes on. Every answer has a time of its
 * own; the calls of one transition share a `CallDeadline` of `storage/remote/`.
 */
export type WithTimeout = <T>(answer: Promise<T>) => Promise<T>;

/** An answer that is waited for; all of them form a ring. */
class Waiting {
  readonly endsAtMs: number;
  readonly reject: (reason: Error) => void;
  before: Waiting = this;
  after: Waiting = this;

  constructor(endsAtMs: number, reject: (reason: Error) => void) {
    this.endsAtMs = endsAtMs;
    this.reject = reject;
  }

  /** Takes its place before `other`. */
  join(other: Waiting): void {
    this.before = other.before;
    this.after = other;
    this.before.after = this;
    other.before = this;
  }

  /** Can be called twice. */
  leave(): void {
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
 * All share one timer: one for each would cost more than a quick answer.
 */
export function createWithTimeout(ms: number, late: () => Error): WithTimeout {
  /** Where the ring begins: from here, the ends are in order. */
  const ring = new Waiting(Number.POSITIVE_INFINITY, () => {});
  let timer: NodeJS.Timeout | undefined;

  function begin(reject: Waiting['reject']): Waiting {
    const waiting = new Waiting(performance.now() + ms, reject);
    waiting.join(ring);
    if (timer === undefined) timer = setTimeout(lookOnce, ms);
    else if (ring.after === waiting) timer.ref();
    return waiting;
  }

  function end(waiting: Waiting): void {
    waiting.leave();
    if (ring.after === ring) timer?.unref();
  }

  /** At the end of the turn: an answer may have come that was not read yet. */
  function lookOnce(): void {
    setImmediate(rejectLate, performance.now());
  }

  /** Rejects those whose time was up at `nowMs`; those due since then get a last look of their own. */
  function rejectLate(nowMs: number): void {
    for (let first = ring.after; first.endsAtMs <= nowMs; first = ring.after) {
      first.leave();
      first.reject(late());
    }
    const isEmpty = ring.after === ring;
    timer = isEmpty
      ? undefined
      : setTimeout(lookOnce, Math.ceil(ring.after.endsAtMs - performance.now()));
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

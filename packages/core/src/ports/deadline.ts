// Not the global one: where a test turns the clock, the answers of others are real nevertheless.
import { setImmediate } from 'node:timers';

/** Settles as `answer` does, or rejects once its time is up. Whoever works on it is not stopped. */
export type Deadline = <T>(answer: Promise<T>) => Promise<T>;

/** Something that is waited for, in a ring of all of them. */
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
 * Gives all answers the same time, `ms`: what takes longer rejects with `late()`. While any is waited for, the
 * process stays alive.
 *
 * All of them share one timer: one for each would cost more than a quick answer.
 */
export function createDeadline(ms: number, late: () => Error): Deadline {
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

  /** An answer may lie there that has not been read (ADR 38). */
  function lookOnce(): void {
    setImmediate(rejectLate, performance.now());
  }

  /** Of those whose time was up by then: what is due since has a last look of its own. */
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

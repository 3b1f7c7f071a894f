import { createFairQueue } from './fair-queue.ts';

/** The assumed duration of a hash on an idle core, ms, until a hash has been measured. */
const ASSUMED_WORK_MS = 20;
/** Weight of a measurement that is slower than the estimate. */
const SMOOTHING = 0.02;

export interface HashLimiterSettings {
  /** How many hashes run at a time: from 1. */
  readonly concurrency: number;
  /** How long work waits for a permit at most, ms. */
  readonly maxWaitMs: number;
}

/** The work was not started. */
export interface Shed {
  readonly outcome: 'shed';
  /** `queue_full`: not queued, or evicted for another fairness key. `wait_too_long`: no permit in time. */
  readonly reason: 'queue_full' | 'wait_too_long';
}

/** The work was not started because no permit was free. */
export interface Busy {
  readonly outcome: 'busy';
}

/**
 * Limits how many password hashes run at a time, and how long a request waits for its hash.
 *
 * A hash costs 20 ms of a core and 19 MiB for one anonymous request, and it occupies a thread of libuv's pool of four,
 * which file access, `dns.lookup` and WebCrypto share. Without a limit, a few logins stop the host's whole app.
 *
 * Each request has a fairness key, such as the network of its client. Keys are served round-robin; if the queue is
 * full, the key with the most waiters loses a waiter. So a flood delays only the requests of its own key.
 * While no other key has requests, one key gets the whole limiter.
 *
 * Concurrency: a permit belongs to the *work*, not to its caller. A hash cannot be stopped, so a client that hangs up
 * frees nothing: its permit is released when the work has settled.
 */
export interface HashLimiter {
  /**
   * Does `work` once a permit is free and `fairnessKey` is next in the round-robin; within one key it is first come,
   * first served. Rejects only if `work` rejects.
   */
  run<T>(work: () => Promise<T>, fairnessKey: string): Promise<T | Shed>;
  /** Does `work` if a permit is free at this moment, for work that can be skipped: it never queues. */
  runIfIdle<T>(work: () => Promise<T>): Promise<T | Busy>;
}

type PermitOutcome = 'admitted' | Shed['reason'];

interface Waiter {
  readonly deadlineMs: number;
  readonly resolve: (permit: PermitOutcome) => void;
}

export function createHashLimiter({ concurrency, maxWaitMs }: HashLimiterSettings): HashLimiter {
  const queue = createFairQueue<Waiter>();
  let active = 0;
  let workMs = ASSUMED_WORK_MS;
  let timer: NodeJS.Timeout | undefined;

  /** A longer queue could not be served in time: it is better to reject immediately than in two seconds. */
  function queueLimit(): number {
    return concurrency * Math.floor(maxWaitMs / workMs);
  }

  async function perform<T>(work: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    try {
      const result = await work();
      updateEstimate(performance.now() - startedAtMs);
      return result;
    } finally {
      releasePermit();
    }
  }

  /**
   * Follows the fastest recent measurement because one slow hash does not mean a slow machine. Too low an estimate does
   * less harm than too high an estimate: a login that is queued by mistake is shed at its deadline, while a login that
   * is rejected by mistake is lost.
   */
  function updateEstimate(measuredMs: number): void {
    workMs = measuredMs < workMs ? measuredMs : workMs + SMOOTHING * (measuredMs - workMs);
  }

  async function waitForPermit(fairnessKey: string): Promise<PermitOutcome> {
    if (queue.size >= queueLimit()) {
      const evictedWaiter = queue.evictFor(fairnessKey);
      if (evictedWaiter === undefined) return 'queue_full';
      evictedWaiter.resolve('queue_full');
    }
    return new Promise((resolve) => {
      queue.enqueue(fairnessKey, { deadlineMs: performance.now() + maxWaitMs, resolve });
      watchOldest();
    });
  }

  function releasePermit(): void {
    // The timer is late if the event loop was busy, and nobody may be admitted past the deadline.
    shedExpired();
    const nextWaiter = queue.dequeue();
    watchOldest();
    // The permit is passed on, not freed: a newcomer could take a free permit before the queue.
    if (nextWaiter === undefined) active -= 1;
    else nextWaiter.resolve('admitted');
  }

  function shedExpired(): void {
    const nowMs = performance.now();
    while (queue.oldest !== undefined && queue.oldest.deadlineMs <= nowMs) {
      queue.removeOldest()?.resolve('wait_too_long');
    }
  }

  /** All waiters have the same maximum wait, so the oldest expires next, and one timer is enough. */
  function watchOldest(): void {
    const { oldest } = queue;
    if (oldest === undefined) {
      clearTimeout(timer);
      timer = undefined;
    } else {
      timer ??= setTimeout(onTimer, Math.ceil(oldest.deadlineMs - performance.now()));
    }
  }

  function onTimer(): void {
    timer = undefined;
    shedExpired();
    watchOldest();
  }

  return {
    async run(work, fairnessKey) {
      if (active < concurrency) {
        active += 1;
        return perform(work);
      }
      const permit = await waitForPermit(fairnessKey);
      return permit === 'admitted' ? perform(work) : { outcome: 'shed', reason: permit };
    },
    async runIfIdle(work) {
      // Nobody waits while a permit is free, so this work overtakes nobody.
      if (active >= concurrency) return { outcome: 'busy' };
      active += 1;
      return perform(work);
    },
  };
}

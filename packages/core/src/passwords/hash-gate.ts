import { availableParallelism } from 'node:os';
import { boundedInteger } from '../bounded-integer.ts';
import { createFairQueue } from './fair-queue.ts';

/** What a piece of work is assumed to take until some has been measured, ms: a hash on an idle core. */
const ASSUMED_WORK_MS = 20;
/** Weight of a measurement that is slower than the estimate. */
const SMOOTHING = 0.02;
/** Leaves 200 ms of the two seconds within which a 503 has to reach the client. */
const DEFAULT_MAX_WAIT_MS = 1_800;
/** The longest delay that Node's timers support, ms: longer ones fire at once. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export interface HashGateOptions {
  /** How many pieces of work run at a time. Default: {@link defaultConcurrency}. */
  readonly concurrency?: number;
  /** The longest that anything waits for a permit, ms. Default: 1,800. */
  readonly maxWaitMs?: number;
}

export type GateOutcome<T> =
  | { readonly outcome: 'done'; readonly value: T }
  | { readonly outcome: 'shed'; readonly reason: ShedReason };

/** `queue_full`: no place, or one that had to be given up to another party. `wait_too_long`: no permit in time. */
type ShedReason = 'queue_full' | 'wait_too_long';

export type IdleOutcome<T> =
  | { readonly outcome: 'done'; readonly value: T }
  | { readonly outcome: 'busy' };

/**
 * Bounds how many password hashes run at once, and how long one is waited for.
 *
 * A hash costs 20 ms of a core and 19 MiB for one anonymous request, and it occupies a thread of libuv's pool of four,
 * which file access, `dns.lookup` and WebCrypto share. Without a bound a few logins stop the host's whole app.
 *
 * Those who wait belong to parties, which take turns, and in a full queue whoever has the most places gives way. So a
 * party that asks for more than all others together waits only for itself; where nobody else asks, it has the whole
 * gate.
 *
 * Concurrency: a permit belongs to the *work*, not to whoever asked for it. A hash cannot be stopped, so a
 * client that hangs up frees nothing: its permit returns when the work has settled.
 */
export interface HashGate {
  /**
   * Does `work` once a permit is free and `party` has its turn; within a party it is first come, first
   * served. Rejects only as `work` rejects.
   */
  run<T>(work: () => Promise<T>, party: string): Promise<GateOutcome<T>>;
  /** Does `work` if a permit is free at this moment. For what can be left undone: it never queues. */
  runIfIdle<T>(work: () => Promise<T>): Promise<IdleOutcome<T>>;
  /** Permits taken. */
  readonly active: number;
  /** Those who wait for one. */
  readonly waiting: number;
}

type Admission = 'admitted' | ShedReason;

interface Waiter {
  readonly deadlineMs: number;
  readonly settle: (admission: Admission) => void;
}

/** @throws {ConfigError} `option_out_of_bounds` */
export function createHashGate(options: HashGateOptions = {}): HashGate {
  const concurrency = boundedInteger(
    'passwords.concurrency',
    options.concurrency,
    defaultConcurrency(),
    [1],
  );
  const maxWaitMs = boundedInteger('passwords.maxWaitMs', options.maxWaitMs, DEFAULT_MAX_WAIT_MS, [
    0,
    LONGEST_WAIT_MS,
  ]);

  const queue = createFairQueue<Waiter>();
  let active = 0;
  let workMs = ASSUMED_WORK_MS;
  let timer: NodeJS.Timeout | undefined;

  /** Whoever joins a longer queue could not be served in time: better to say so now than in two seconds. */
  function queueLimit(): number {
    return concurrency * Math.floor(maxWaitMs / workMs);
  }

  async function perform<T>(work: () => Promise<T>): Promise<{ outcome: 'done'; value: T }> {
    const startedAtMs = performance.now();
    try {
      const value = await work();
      measure(performance.now() - startedAtMs);
      return { outcome: 'done', value };
    } finally {
      releasePermit();
    }
  }

  /**
   * Stays near the fastest recent measurement: a machine that stumbles is not slow, and whoever is let into the queue
   * by mistake is shed at the deadline, while whoever is turned away by mistake cannot be called back.
   */
  function measure(measuredMs: number): void {
    workMs = measuredMs < workMs ? measuredMs : workMs + SMOOTHING * (measuredMs - workMs);
  }

  async function waitForPermit(party: string): Promise<Admission> {
    if (queue.size >= queueLimit()) {
      const evicted = queue.giveWay(party);
      if (evicted === undefined) return 'queue_full';
      evicted.settle('queue_full');
    }
    return new Promise((settle) => {
      queue.join(party, { deadlineMs: performance.now() + maxWaitMs, settle });
      watchOldest();
    });
  }

  function releasePermit(): void {
    // The timer is late where the event loop was busy, and nobody may be admitted past the deadline.
    shedExpired();
    const next = queue.next();
    watchOldest();
    // Handed over rather than given back: in between, a newcomer could overtake the queue.
    if (next === undefined) active -= 1;
    else next.settle('admitted');
  }

  function shedExpired(): void {
    const nowMs = performance.now();
    while (queue.oldest !== undefined && queue.oldest.deadlineMs <= nowMs) {
      queue.removeOldest()?.settle('wait_too_long');
    }
  }

  /** All wait equally long, so the oldest is always the next to expire: one timer serves them all. */
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
    async run(work, party) {
      if (active < concurrency) {
        active += 1;
        return perform(work);
      }
      const admission = await waitForPermit(party);
      return admission === 'admitted' ? perform(work) : { outcome: 'shed', reason: admission };
    },
    async runIfIdle(work) {
      // Nobody waits while a permit is free, so this overtakes nobody.
      if (active >= concurrency) return { outcome: 'busy' };
      active += 1;
      return perform(work);
    },
    get active() {
      return active;
    },
    get waiting() {
      return queue.size;
    },
  };
}

/**
 * As many as there are cores, since more only slow each other down, but at most one fewer than libuv has threads: a
 * reconnecting Redis client needs `dns.lookup`, which would wait behind every hash.
 */
export function defaultConcurrency(
  cores: number = availableParallelism(),
  poolSize: number = threadPoolSize(process.env['UV_THREADPOOL_SIZE']),
): number {
  return Math.max(1, Math.min(cores, poolSize - 1));
}

/** Reads the variable as libuv does, which takes nonsense and zero for one thread. */
function threadPoolSize(variable: string | undefined): number {
  if (variable === undefined) return 4;
  return Number.parseInt(variable, 10) || 1;
}

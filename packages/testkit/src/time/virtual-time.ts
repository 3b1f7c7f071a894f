import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Clock, MaybePromise } from '@latchhook/core';
import type { Timers } from '@latchhook/core/delivery';
import { assertNames } from '@latchhook/core/storage';

/** For how long of real time something may keep virtual time standing, ms. */
const LONGEST_REAL_WAIT_MS = 10_000;
/** Real time is first spent in turns of the event loop, which is enough for most real work; then in naps. */
const TURNS_BEFORE_NAPS = 50;
const NAP_MS = 1;
/**
 * After this many turns of the event loop, what a timer started has either ended or shows as under way: one turn for
 * promises, the others for callbacks that Node itself delays by a turn.
 */
const TURNS_TO_SETTLE = 3;
/** How far `runUntil` goes by default: the schedule of retries takes 75 hours. */
const DEFAULT_LIMIT_MS = 30 * 86_400_000;

/** Time that stands still until a test moves it. Give `clock` and `timers` to everything that takes part. */
export interface VirtualTime {
  readonly clock: Clock;
  readonly timers: Timers;

  /** When the next timer fires, by this clock; `null` if none is set. */
  nextTimerAtMs(): number | null;

  /**
   * Keeps time standing while `isUnderWay` is true, for what happens in real time: a request on a real socket, a
   * command to a real Redis. Otherwise time moves on as soon as promises have settled, and their answers come too late.
   * See `watchAttempts`. The returned function ends it.
   */
  standStillWhile(isUnderWay: () => boolean): () => void;

  /**
   * Moves time on, and fires timers that fall due meanwhile, in order. Before each step, and at the end, everything
   * that was started has settled.
   *
   * @throws {Error} if something keeps time standing for ten seconds
   */
  advance(ms: number): Promise<void>;

  /**
   * Moves time on from timer to timer until `isReached`.
   *
   * @param limitMs - How far time may be moved. Default: 30 days.
   * @throws {Error} if that is not reached within `limitMs`, or no timer is left that could bring it about
   */
  runUntil(
    isReached: () => MaybePromise<boolean>,
    options?: { readonly limitMs?: number },
  ): Promise<void>;
}

interface SetTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * @param options.startMs - The time at first. Default: the present.
 * @throws {ConfigError} `options_invalid`, `option_unknown`
 */
export function virtualTime(options: { startMs?: number } = {}): VirtualTime {
  assertNames('virtualTime', 'options_invalid', options, { startMs: true });
  const { startMs = Date.now() } = options;
  let nowMs = startMs;
  /** In the order in which they were set; those due at the same time fire in that order. */
  const timers = new Set<SetTimer>();
  const holds = new Set<() => boolean>();

  const nextDueMs = (): number | null => {
    let earliest: number | null = null;
    for (const { dueMs } of timers) {
      if (earliest === null || dueMs < earliest) earliest = dueMs;
    }
    return earliest;
  };

  const isActive = (): boolean => [...holds].some((isUnderWay) => isUnderWay());

  async function settle(): Promise<void> {
    const giveUpAtMs = performance.now() + LONGEST_REAL_WAIT_MS;
    let turns = 0;
    for (let quiet = 0; quiet < TURNS_TO_SETTLE; quiet = isActive() ? 0 : quiet + 1) {
      if (performance.now() > giveUpAtMs) throw new Error(STANDING);
      turns += 1;
      if (turns < TURNS_BEFORE_NAPS) await turn();
      else await wait(NAP_MS);
    }
  }

  /** Moves on to a time, and fires the timers due then. One of them may still cancel another of the same time. */
  async function moveTo(dueMs: number): Promise<void> {
    nowMs = dueMs;
    for (const timer of [...timers].filter((timer) => timer.dueMs === dueMs)) {
      if (!timers.delete(timer)) continue;
      timer.callback();
      await turn();
    }
  }

  return {
    clock: { nowMs: () => nowMs },
    timers: {
      after(ms, callback) {
        // At least 1 ms, as in Node: otherwise a timer that sets itself again would fire for ever at the same time.
        const timer = { dueMs: nowMs + Math.max(1, Math.ceil(ms)), callback };
        timers.add(timer);
        return () => void timers.delete(timer);
      },
    },
    nextTimerAtMs: nextDueMs,
    standStillWhile(isUnderWay) {
      const hold = () => isUnderWay();
      holds.add(hold);
      return () => void holds.delete(hold);
    },
    async advance(ms) {
      const targetMs = nowMs + ms;
      await settle();
      for (let due = nextDueMs(); due !== null && due <= targetMs; due = nextDueMs()) {
        await moveTo(due);
        await settle();
      }
      nowMs = targetMs;
    },
    async runUntil(isReached, bounds = {}) {
      assertNames('runUntil', 'options_invalid', bounds, { limitMs: true });
      const { limitMs = DEFAULT_LIMIT_MS } = bounds;
      const targetMs = nowMs + limitMs;
      for (;;) {
        await settle();
        if (await isReached()) return;
        const due = nextDueMs();
        if (due === null) throw new Error(NOTHING_SET);
        if (due > targetMs) throw new Error(`not reached within ${limitMs} ms of virtual time`);
        await moveTo(due);
      }
    },
  };
}

const STANDING =
  `virtual time was kept standing for ${LONGEST_REAL_WAIT_MS} ms: something real does not end, ` +
  'or waits for a timer, and should not count as under way then';
const NOTHING_SET =
  'no timer is set that could bring it about: what is under way is real, so hold time meanwhile by standStillWhile, ' +
  'or it waits by other timers than these';

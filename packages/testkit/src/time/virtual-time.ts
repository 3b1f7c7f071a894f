import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Clock, MaybePromise } from '@latchhook/core';
import type { Timers } from '@latchhook/core/delivery';

/** For how much real time virtual time may be held, ms. */
const MAX_HOLD_MS = 10_000;
/** Most real work ends within this many turns of the event loop. Longer work is waited for in naps, to save CPU. */
const TURNS_BEFORE_NAPS = 50;
const NAP_MS = 1;
/**
 * After this many turns without a hold, everything that a timer started has ended or holds time: one turn for promises,
 * the others for callbacks that Node itself delays by a turn.
 */
const TURNS_TO_SETTLE = 3;
/** How far `runUntil` moves time at most: the schedule of retries takes 75 hours. */
const RUN_LIMIT_MS = 30 * 86_400_000;

const HELD_TOO_LONG =
  `virtual time was held for ${MAX_HOLD_MS} ms: a condition of holdWhile() stays true, ` +
  'as work in real time does not end, or waits for a virtual timer';
const NO_TIMER_LEFT =
  'no timer is set that could make the condition true: hold time by holdWhile() during work in real time, ' +
  'and give these timers to all that waits';

/** Time that only a test moves. Give `clock` and `timers` to everything that takes part. */
export interface VirtualTime {
  readonly clock: Clock;
  readonly timers: Timers;

  /**
   * Holds time while `isInProgress` returns true: for work in real time, such as a request on a real socket or a
   * command to a real Redis. Without a hold, time moves on as soon as promises have settled, before such work ends. See
   * `watchAttempts`.
   */
  holdWhile(isInProgress: () => boolean): void;

  /**
   * Moves time on by `ms`, and fires the timers that are due by then, in order. Before each step, and at the end,
   * everything that was started has settled.
   *
   * @throws {Error} if time is held for ten seconds
   */
  advance(ms: number): Promise<void>;

  /**
   * Moves time on from timer to timer until `isReached` returns true.
   *
   * @throws {Error} if time is held for ten seconds, if no timer is left, or after 30 days of virtual time
   */
  runUntil(isReached: () => MaybePromise<boolean>): Promise<void>;
}

interface VirtualTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Makes virtual time that starts at the present. */
export function virtualTime(): VirtualTime {
  let nowMs = Date.now();
  /** In the order in which they were set; those due at the same time fire in that order. */
  const timers = new Set<VirtualTimer>();
  const holds: (() => boolean)[] = [];

  const nextDueMs = (): number | null => {
    let earliest: number | null = null;
    for (const { dueMs } of timers) {
      if (earliest === null || dueMs < earliest) earliest = dueMs;
    }
    return earliest;
  };

  const isHeld = (): boolean => holds.some((isInProgress) => isInProgress());

  async function settle(): Promise<void> {
    const giveUpAtMs = performance.now() + MAX_HOLD_MS;
    let turns = 0;
    let quietTurns = 0;
    while (quietTurns < TURNS_TO_SETTLE) {
      if (performance.now() > giveUpAtMs) throw new Error(HELD_TOO_LONG);
      turns += 1;
      if (turns < TURNS_BEFORE_NAPS) await nextTurn();
      else await wait(NAP_MS);
      quietTurns = isHeld() ? 0 : quietTurns + 1;
    }
  }

  async function moveTo(dueMs: number): Promise<void> {
    nowMs = dueMs;
    for (const timer of [...timers].filter((timer) => timer.dueMs === dueMs)) {
      // A timer that fired before may have cancelled this one.
      if (!timers.delete(timer)) continue;
      timer.callback();
      await nextTurn();
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
    holdWhile: (isInProgress) => void holds.push(isInProgress),
    async advance(ms) {
      const targetMs = nowMs + ms;
      await settle();
      for (let due = nextDueMs(); due !== null && due <= targetMs; due = nextDueMs()) {
        await moveTo(due);
        await settle();
      }
      nowMs = targetMs;
    },
    async runUntil(isReached) {
      const limitMs = nowMs + RUN_LIMIT_MS;
      for (;;) {
        await settle();
        if (await isReached()) return;
        const due = nextDueMs();
        if (due === null) throw new Error(NO_TIMER_LEFT);
        if (due > limitMs) throw new Error(`not reached within ${RUN_LIMIT_MS} ms of virtual time`);
        await moveTo(due);
      }
    },
  };
}

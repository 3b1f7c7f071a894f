import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Awaitable, Clock, Timers } from '@latchhook/core';

/** For how much of real time something may keep virtual time standing. */
const LONGEST_REAL_WAIT_MS = 10_000;
/** Real time is spent in turns of the event loop at first, where most of what is real ends; then in naps. */
const TURNS_BEFORE_NAPS = 50;
const NAP_MS = 1;
/**
 * Turns of the event loop after which whatever was started by a timer has either ended or shows as under way:
 * one for promises, the others for callbacks that Node itself puts off by a turn.
 */
const TURNS_TO_SETTLE = 3;
/** How far `runUntil` goes by default: the schedule of retries takes 75 hours. */
const DEFAULT_LIMIT_MS = 30 * 86_400_000;

/** Time that stands still until a test moves it. Give `clock` and `timers` to all that takes part. */
export interface VirtualTime {
  readonly clock: Clock;
  readonly timers: Timers;

  /** When the next timer fires, of this clock; `null` where none is set. */
  nextTimerAtMs(): number | null;

  /**
   * Time stands still while `isUnderWay` says so: a request that a real socket is about to answer, a command
   * that a real Redis is. Without, time moves on as soon as promises have settled, and what is real comes too
   * late. See `watchAttempts`. The returned function takes it back.
   */
  standStillWhile(isUnderWay: () => boolean): () => void;

  /**
   * Moves time on, and fires what falls due meanwhile, in order. Before each step, and at the end, all that
   * was started has settled.
   *
   * @throws Error where something keeps time standing for ten seconds
   */
  advance(ms: number): Promise<void>;

  /**
   * Moves time on from timer to timer until `isReached`.
   *
   * @param limitMs How far time may be moved. Default: 30 days.
   * @throws Error where it is not reached within `limitMs`, or no timer is left that could bring it about
   */
  runUntil(
    isReached: () => Awaitable<boolean>,
    options?: { readonly limitMs?: number },
  ): Promise<void>;
}

interface SetTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** @param startMs What the clock shows at first. Default: the present. */
export function virtualTime({ startMs = Date.now() }: { startMs?: number } = {}): VirtualTime {
  let nowMs = startMs;
  /** In the order in which they were set, which is that of firing among those of one moment. */
  const timers = new Set<SetTimer>();
  const holds = new Set<() => boolean>();

  const nextDueMs = (): number | null => {
    let earliest: number | null = null;
    for (const { dueMs } of timers) {
      if (earliest === null || dueMs < earliest) earliest = dueMs;
    }
    return earliest;
  };

  const isStanding = (): boolean => [...holds].some((isUnderWay) => isUnderWay());

  async function settle(): Promise<void> {
    const giveUpAtMs = performance.now() + LONGEST_REAL_WAIT_MS;
    let turns = 0;
    for (let quiet = 0; quiet < TURNS_TO_SETTLE; quiet = isStanding() ? 0 : quiet + 1) {
      if (performance.now() > giveUpAtMs) throw new Error(STANDING);
      turns += 1;
      if (turns < TURNS_BEFORE_NAPS) await turn();
      else await wait(NAP_MS);
    }
  }

  /** Moves on to a moment, and fires what is due then. One that calls off another of the moment comes in time. */
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
        // As Node has it. With less, what sets itself anew would fire for ever within one moment.
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
    async runUntil(isReached, { limitMs = DEFAULT_LIMIT_MS } = {}) {
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

import type { Clock } from '@latchhook/core';
import { monotonicMs } from '@latchhook/core/delivery';
import type { ScheduledDelivery } from '@latchhook/core/storage';
import { jittered } from '../jittered.ts';
import { nameOfRun } from '../runs/name-of-run.ts';

/**
 * The shortest pause between two sweeps while there is more to find, ms; a sweep that took longer is followed by a
 * pause as long. If it finds a backlog that was not lost, store and queue are needed by the processes that work it off.
 */
const MIN_PAGE_PAUSE_MS = 100;
/** With no more to find, the pause is this many times as long as the store looked, which is at all busy webhooks. */
const PAUSE_PER_LOOK = 50;
/**
 * The longest pause, ms, give or take a fifth, unless the host has chosen a longer one. Also the pause after a fault.
 */
const MAX_PAUSE_MS = 5_000;
/**
 * For how long there must have been no attempt, and nothing late, before a sweeper pauses for as long as it may, ms:
 * longer than a lease, so that attempts of a process that died with the last of them are still found as their lease
 * ends.
 */
const QUIET_MS = 30_000;

/** What a pace goes by. */
export interface SweepPaceDeps {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** The pause after a sweep that took no time, ms, give or take a fifth. */
  readonly intervalMs: number;
  /** Deliveries that one sweep asks for: where it finds as many, there may be more. */
  readonly pageSize: number;
  /** How many attempts this process has asked to start. */
  readonly attemptsSoFar: () => number;
}

/** How long a sweeper pauses, by how its last sweep went. */
export class SweepPace {
  readonly #deps: SweepPaceDeps;
  readonly #longestMs: number;
  #beganAtMs: number;
  /** For how long the store has looked, ms. */
  #lookedMs = 0;
  #busyAtMs: number;
  #attemptsBefore = 0;
  /** The first of the last page. */
  #firstBefore: string | null = null;

  constructor(deps: SweepPaceDeps) {
    this.#deps = deps;
    this.#longestMs = Math.max(deps.intervalMs, MAX_PAUSE_MS);
    this.#beganAtMs = this.#nowMs();
    this.#busyAtMs = this.#beganAtMs;
  }

  /** The pause before the first sweep, ms: processes that begin together do not sweep together. */
  beforeFirst(): number {
    return this.#deps.random() * this.#deps.intervalMs;
  }

  noteBegin(): void {
    this.#beganAtMs = this.#nowMs();
  }

  /** The store has answered: with what was late, whether or not the engine takes it. */
  noteAnswer(found: readonly ScheduledDelivery[]): void {
    const nowMs = this.#nowMs();
    this.#lookedMs = nowMs - this.#beganAtMs;
    if (found.length > 0) this.#busyAtMs = nowMs;
  }

  /** The pause after a sweep that found nothing, ms. */
  afterEmpty(): number {
    return this.#jittered(
      this.#isQuiet()
        ? this.#longestMs
        : this.#atLeast(this.#deps.intervalMs, PAUSE_PER_LOOK * this.#lookedMs),
    );
  }

  /** The pause after a sweep of which the engine has taken what it found, ms. */
  afterPage(page: readonly ScheduledDelivery[]): number {
    const isNew = this.#isNew(page);
    if (page.length < this.#deps.pageSize) return this.afterEmpty();
    if (!isNew) return this.#jittered(this.#longestMs);
    return this.#atLeast(MIN_PAGE_PAUSE_MS, this.#nowMs() - this.#beganAtMs);
  }

  /** The pause after a sweep that failed, ms. */
  afterFault(): number {
    return this.#jittered(this.#longestMs);
  }

  #isQuiet(): boolean {
    const attempts = this.#deps.attemptsSoFar();
    if (attempts !== this.#attemptsBefore) this.#busyAtMs = this.#nowMs();
    this.#attemptsBefore = attempts;
    return this.#nowMs() - this.#busyAtMs >= QUIET_MS;
  }

  /** A page that begins like the one before comes from a store that puts nothing off: it would never change. */
  #isNew([first]: readonly ScheduledDelivery[]): boolean {
    const name = first === undefined ? null : nameOfRun(first);
    const isOther = name !== this.#firstBefore;
    this.#firstBefore = name;
    return isOther;
  }

  #atLeast(leastMs: number, ms: number): number {
    return Math.min(this.#longestMs, Math.max(leastMs, ms));
  }

  #jittered(ms: number): number {
    return jittered(ms, this.#deps.random);
  }

  #nowMs(): number {
    return monotonicMs(this.#deps.clock);
  }
}

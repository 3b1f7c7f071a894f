import { type Clock, systemClock, wholeMonotonicMs } from '../../ports/clock.ts';
import type { Limiter, LimiterFactory, LimiterOptions, LimiterState } from '../limiter.ts';
import { type LockRule, lockSecondsAfter } from '../lock-rule.ts';
import { type Timed, TimeHeap } from './time-heap.ts';

/** Timed by when its window ends. */
interface Counter extends Timed {
  readonly key: string;
  points: number;
}

/**
 * Counters in memory. Limiters of one prefix share their counters, as two connections to one server would. Windows run
 * on the system's monotonic clock: if the time of day were set back by an hour, a lock would last an hour longer.
 */
export function memoryLimiters(clock: Clock = systemClock): LimiterFactory {
  const counters = new Counters(clock);
  return (options) => new MemoryLimiter(counters, options);
}

/** All counters, by key. Each call forgets those whose window is over. */
class Counters {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Counter>();
  readonly #expiries = new TimeHeap<Counter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(key: string): LimiterState | null {
    const nowMs = this.#begin();
    const counter = this.#byKey.get(key);
    return counter === undefined ? null : stateOf(counter, nowMs);
  }

  add(key: string, windowMs: number): LimiterState {
    const nowMs = this.#begin();
    const counter = this.#byKey.get(key) ?? this.#open(key, nowMs + windowMs);
    counter.points += 1;
    return stateOf(counter, nowMs);
  }

  block(key: string, windowMs: number): void {
    const nowMs = this.#begin();
    this.delete(key);
    this.#open(key, nowMs + windowMs).points = 1;
  }

  delete(key: string): boolean {
    this.#begin();
    const counter = this.#byKey.get(key);
    if (counter === undefined) return false;
    this.#expiries.remove(counter);
    return this.#byKey.delete(key);
  }

  #open(key: string, atMs: number): Counter {
    const counter: Counter = { key, atMs, points: 0, heapIndex: 0 };
    this.#byKey.set(key, counter);
    this.#expiries.add(counter);
    return counter;
  }

  #begin(): number {
    const nowMs = wholeMonotonicMs(this.#clock);
    for (let over = this.#expiries.take(nowMs); over; over = this.#expiries.take(nowMs)) {
      this.#byKey.delete(over.key);
    }
    return nowMs;
  }
}

function stateOf({ points, atMs }: Counter, nowMs: number): LimiterState {
  return { consumedPoints: points, msBeforeNext: atMs - nowMs };
}

class MemoryLimiter implements Limiter {
  readonly #counters: Counters;
  readonly #options: LimiterOptions;

  constructor(counters: Counters, options: LimiterOptions) {
    this.#counters = counters;
    this.#options = options;
  }

  async get(key: string): Promise<LimiterState | null> {
    return this.#counters.find(this.#prefixed(key));
  }

  async penalty(key: string): Promise<LimiterState> {
    return this.#add(key);
  }

  async penaltyWithLock(key: string, rule: LockRule): Promise<LimiterState> {
    const state = this.#add(key);
    const points = state.consumedPoints;
    if (points % rule.every === 0) {
      const lockMs = 1000 * lockSecondsAfter(points, rule);
      this.#counters.block(nameOf(rule.keyPrefix, key), lockMs);
    }
    return state;
  }

  async block(key: string, seconds: number): Promise<unknown> {
    return this.#counters.block(this.#prefixed(key), 1000 * seconds);
  }

  async delete(key: string): Promise<boolean> {
    return this.#counters.delete(this.#prefixed(key));
  }

  #add(key: string): LimiterState {
    return this.#counters.add(this.#prefixed(key), 1000 * this.#options.duration);
  }

  #prefixed(key: string): string {
    return nameOf(this.#options.keyPrefix, key);
  }
}

/** By its length, the prefix is told from the key, whatever is in them. */
function nameOf(keyPrefix: string, key: string): string {
  return `${keyPrefix.length}:${keyPrefix}:${key}`;
}

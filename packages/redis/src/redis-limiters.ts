import type {
  Limiter,
  LimiterFactory,
  LimiterOptions,
  LimiterState,
  LockRule,
} from '@latchhook/core/storage';
import type { CallScript } from './script-caller.ts';
import { addPoint } from './scripts/limiters/add-point.ts';
import { addPointWithLock } from './scripts/limiters/add-point-with-lock.ts';
import { blockCounter } from './scripts/limiters/block-counter.ts';
import { deleteCounter } from './scripts/limiters/delete-counter.ts';
import { findCounters } from './scripts/limiters/find-counters.ts';

export interface RedisLimitersOptions {
  readonly keyPrefix: string;
  readonly call: CallScript;
}

/** Counters in Redis. */
export function redisLimiters(options: RedisLimitersOptions): LimiterFactory {
  return (settings) => new RedisLimiter(options, settings);
}

class RedisLimiter implements Limiter {
  readonly #call: CallScript;
  readonly #storagePrefix: string;
  readonly #keyPrefix: string;
  readonly #windowSeconds: number;

  constructor(
    { call, keyPrefix: storagePrefix }: RedisLimitersOptions,
    { keyPrefix, duration }: LimiterOptions,
  ) {
    this.#call = call;
    this.#storagePrefix = storagePrefix;
    this.#keyPrefix = keyPrefix;
    this.#windowSeconds = wholeSeconds(duration);
  }

  get(key: string, keyPrefixes: readonly string[]): Promise<readonly (LimiterState | null)[]> {
    const others = keyPrefixes.map((keyPrefix) => this.#counterKey(key, keyPrefix));
    return findCounters(this.#call, [this.#counterKey(key), ...others]);
  }

  penalty(key: string): Promise<LimiterState> {
    return addPoint(this.#call, this.#counterKey(key), this.#windowSeconds);
  }

  penaltyWithLock(key: string, { keyPrefix, every, seconds }: LockRule): Promise<LimiterState> {
    return addPointWithLock(
      this.#call,
      { counter: this.#counterKey(key), lock: this.#counterKey(key, keyPrefix) },
      { windowSeconds: this.#windowSeconds, every, lockSeconds: seconds.map(wholeSeconds) },
    );
  }

  block(key: string, seconds: number): Promise<void> {
    return blockCounter(this.#call, this.#counterKey(key), wholeSeconds(seconds));
  }

  delete(key: string): Promise<boolean> {
    return deleteCounter(this.#call, this.#counterKey(key));
  }

  /**
   * The hash tag is the limited key, so that one script may access all counters of it. Limited keys are digests, so
   * they have no braces.
   */
  #counterKey(key: string, keyPrefix = this.#keyPrefix): string {
    return `${this.#storagePrefix}:${keyPrefix}:{${key}}`;
  }
}

/** Redis accepts no fraction, and no time to live of 0. */
function wholeSeconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds));
}

import type {
  Limiter,
  LimiterFactory,
  LimiterOptions,
  LimiterState,
  LockRule,
} from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { addPoint } from './functions/limiters/add-point.ts';
import { addPointWithLock } from './functions/limiters/add-point-with-lock.ts';
import { blockCounter } from './functions/limiters/block-counter.ts';
import { findCounters } from './functions/limiters/find-counters.ts';
import { forgetCounter } from './functions/limiters/forget-counter.ts';

/** Counters in PostgreSQL. */
export function postgresLimiters(call: CallFunction): LimiterFactory {
  return (options) => new PostgresLimiter(call, options);
}

class PostgresLimiter implements Limiter {
  readonly #call: CallFunction;
  readonly #options: LimiterOptions;

  constructor(call: CallFunction, options: LimiterOptions) {
    this.#call = call;
    this.#options = options;
  }

  get(key: string, keyPrefixes: readonly string[]): Promise<readonly (LimiterState | null)[]> {
    const prefixes = [this.#options.keyPrefix, ...keyPrefixes];
    return findCounters(
      this.#call,
      prefixes.map((prefix) => counterKeyOf(prefix, key)),
    );
  }

  penalty(key: string): Promise<LimiterState> {
    return addPoint(this.#call, this.#counterKey(key), wholeMs(this.#options.duration));
  }

  penaltyWithLock(key: string, rule: LockRule): Promise<LimiterState> {
    return addPointWithLock(this.#call, {
      counterKey: this.#counterKey(key),
      windowMs: wholeMs(this.#options.duration),
      lockKey: counterKeyOf(rule.keyPrefix, key),
      lockEvery: rule.every,
      locksMs: rule.seconds.map(wholeMs),
    });
  }

  block(key: string, seconds: number): Promise<unknown> {
    return blockCounter(this.#call, this.#counterKey(key), wholeMs(seconds));
  }

  delete(key: string): Promise<boolean> {
    return forgetCounter(this.#call, this.#counterKey(key));
  }

  #counterKey(key: string): string {
    return counterKeyOf(this.#options.keyPrefix, key);
  }
}

/** Escapes colons in the key, so that no two pairs of prefix and key have the same counter key. */
function counterKeyOf(keyPrefix: string, key: string): string {
  return `${keyPrefix}:${key.replaceAll(/[\\:]/g, '\\$&')}`;
}

function wholeMs(seconds: number): number {
  return Math.ceil(seconds * 1000);
}

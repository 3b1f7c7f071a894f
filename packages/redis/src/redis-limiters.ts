import { createHash } from 'node:crypto';
import {
  type CallDeadline,
  type Limiter,
  type LimiterFactory,
  type LimiterOptions,
  type LimiterState,
  type LockRule,
  StorageUnavailableError,
} from '@latchhook/core/storage';
import { RateLimiterRedis } from '#dependencies';
import type { RedisClient } from './redis-client.ts';
import { type CallScript, runScript } from './script-caller.ts';
import { addPointWithLock } from './scripts/limiters/add-point-with-lock.ts';
import { rejectUnavailable } from './storage-unavailable.ts';

export interface RedisLimitersOptions {
  readonly keyPrefix: string;
  readonly call: CallScript;
  readonly newDeadline: () => CallDeadline;
}

/**
 * Counters in Redis: `RateLimiterRedis` of `rate-limiter-flexible` with Latchhook's deadline, and a script for a
 * counter with a lock.
 *
 * The library's commands have no `ExpiredCommandGuard` because an expired command only changes a counter, which has a
 * time to live.
 */
export function redisLimiters(redis: RedisClient, options: RedisLimitersOptions): LimiterFactory {
  return (settings) => new RedisLimiter(redis, options, settings);
}

class RedisLimiter implements Limiter {
  readonly #options: RedisLimitersOptions;
  readonly #settings: LimiterOptions;
  readonly #counters: RateLimiterRedis;

  constructor(redis: RedisClient, options: RedisLimitersOptions, settings: LimiterOptions) {
    this.#options = options;
    this.#settings = { ...settings, duration: wholeSeconds(settings.duration) };
    this.#counters = new RateLimiterRedis({
      duration: this.#settings.duration,
      keyPrefix: '',
      // Required by the library. Only `consume` uses `points`, and nothing calls it.
      points: 1,
      storeClient: limiterClient(redis),
    });
  }

  get(key: string): Promise<LimiterState | null> {
    const reply = this.#counters.get(this.#key(key));
    return this.#bounded(reply.then((state) => (state === null ? null : checkState(state))));
  }

  penalty(key: string): Promise<LimiterState> {
    return this.#bounded(this.#counters.penalty(this.#key(key)).then(checkState));
  }

  penaltyWithLock(key: string, { keyPrefix, every, seconds }: LockRule): Promise<LimiterState> {
    return addPointWithLock(
      this.#options.call,
      { counter: this.#key(key), lock: this.#key(key, keyPrefix) },
      {
        windowSeconds: this.#settings.duration,
        every,
        lockSeconds: seconds.map(wholeSeconds),
      },
    );
  }

  block(key: string, seconds: number): Promise<unknown> {
    return this.#bounded(this.#counters.block(this.#key(key), wholeSeconds(seconds)));
  }

  delete(key: string): Promise<boolean> {
    return this.#bounded(this.#counters.delete(this.#key(key)));
  }

  /**
   * The hash tag is the limited key, so that one script may access its counter and its lock. Limited keys are digests,
   * so they have no braces.
   */
  #key(key: string, limiter = this.#settings.keyPrefix): string {
    return `${this.#options.keyPrefix}:${limiter}:{${key}}`;
  }

  #bounded<Result>(call: Promise<Result>): Promise<Result> {
    return this.#options.newDeadline().bound(call.catch(rejectUnavailable));
  }
}

/**
 * The part of a client that `RateLimiterRedis` uses. The library defines a command on its client; this object receives
 * the definition instead of the host's client.
 */
function limiterClient(redis: RedisClient): object {
  const client: Record<string, unknown> = {
    multi: () => redis.multi(),
    del: (key: string) => redis.del(key),
    defineCommand(name: string, { lua, numberOfKeys }: { lua: string; numberOfKeys: number }) {
      const script = { source: lua, sha1: createHash('sha1').update(lua).digest('hex') };
      client[name] = (values: readonly string[]) =>
        runScript(redis, script, values.slice(0, numberOfKeys), values.slice(numberOfKeys));
    },
  };
  return client;
}

/** The library drops fractions, and with 0 seconds a counter would never expire. */
function wholeSeconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds));
}

/** Checks a state because the library does not: in a transaction an error arrives as one of the replies. */
function checkState({ consumedPoints, msBeforeNext }: LimiterState): LimiterState {
  const state = { consumedPoints, msBeforeNext: Number(msBeforeNext) };
  if (Number.isFinite(state.consumedPoints) && Number.isFinite(state.msBeforeNext)) return state;
  throw new StorageUnavailableError('Redis returned a counter that is not a number.');
}

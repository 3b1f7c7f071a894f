import { createHash } from 'node:crypto';
import {
  type CallDeadline,
  type Limiter,
  type LimiterFactory,
  type LimiterOptions,
  type LimiterState,
  StorageUnavailableError,
} from '@latchhook/core/storage';
import { RateLimiterRedis } from '#dependencies';
import type { RedisClient } from './redis-client.ts';
import { runScript } from './run-script.ts';
import { rejectUnavailable } from './storage-unavailable.ts';

export interface RedisLimitersOptions {
  readonly keyPrefix: string;
  readonly newDeadline: () => CallDeadline;
}

/**
 * Counters in Redis, by `RateLimiterRedis` of `rate-limiter-flexible`, under our deadline.
 *
 * There is no late-landing guard: a command that lands too late only moves a counter, which ends by itself.
 */
export function redisLimiters(
  redis: RedisClient,
  { keyPrefix, newDeadline }: RedisLimitersOptions,
): LimiterFactory {
  return (options) =>
    new RedisLimiter(
      redis,
      { ...options, keyPrefix: `${keyPrefix}:${options.keyPrefix}` },
      newDeadline,
    );
}

class RedisLimiter implements Limiter {
  readonly #counters: RateLimiterRedis;
  readonly #newDeadline: () => CallDeadline;

  constructor(redis: RedisClient, options: LimiterOptions, newDeadline: () => CallDeadline) {
    this.#counters = new RateLimiterRedis({
      ...options,
      duration: wholeSeconds(options.duration),
      // Only `consume` compares with `points`, and nothing calls it.
      points: 1,
      storeClient: limiterClient(redis),
    });
    this.#newDeadline = newDeadline;
  }

  get(key: string): Promise<LimiterState | null> {
    const found = this.#counters.get(key);
    return this.#bounded(found.then((state) => (state === null ? null : checked(state))));
  }

  penalty(key: string): Promise<LimiterState> {
    return this.#bounded(this.#counters.penalty(key).then(checked));
  }

  block(key: string, seconds: number): Promise<unknown> {
    return this.#bounded(this.#counters.block(key, wholeSeconds(seconds)));
  }

  delete(key: string): Promise<boolean> {
    return this.#bounded(this.#counters.delete(key));
  }

  #bounded<Result>(call: Promise<Result>): Promise<Result> {
    return this.#newDeadline().bound(call.catch(rejectUnavailable));
  }
}

/**
 * The part of a client that `RateLimiterRedis` uses. It defines a command on its client; this object takes the
 * definition, so that the host's client stays as it is.
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

/** The library drops fractions, and with 0 seconds a counter would never end. */
function wholeSeconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds));
}

/** In a transaction an error arrives beside the replies, where the library does not look. */
function checked({ consumedPoints, msBeforeNext }: LimiterState): LimiterState {
  const state = { consumedPoints, msBeforeNext: Number(msBeforeNext) };
  if (Number.isFinite(state.consumedPoints) && Number.isFinite(state.msBeforeNext)) return state;
  throw new StorageUnavailableError('Redis answered a counter that is no number.');
}

import type { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Limiter, LimiterFactory, LimiterOptions, LimiterState } from '../limiter.ts';

/**
 * Counters in memory, by `RateLimiterMemory` of `rate-limiter-flexible`. Limiters of one prefix share their
 * counters, as two connections to one server would. Windows run on the system's clock.
 */
export function memoryLimiters(): LimiterFactory {
  let counters: Promise<RateLimiterMemory> | undefined;
  // The library takes 20 ms to load: the first counter pays for it, not the start of the process.
  const load = () => {
    counters ??= import('rate-limiter-flexible').then(
      // Every call brings its own key and window, and nothing consumes, so that none of these is read.
      ({ RateLimiterMemory }) => new RateLimiterMemory({ keyPrefix: '', points: 0, duration: 0 }),
    );
    return counters;
  };
  return (options) => new MemoryLimiter(load, options);
}

class MemoryLimiter implements Limiter {
  readonly #load: () => Promise<RateLimiterMemory>;
  readonly #options: LimiterOptions;

  constructor(load: () => Promise<RateLimiterMemory>, options: LimiterOptions) {
    this.#load = load;
    this.#options = options;
  }

  async get(key: string): Promise<LimiterState | null> {
    const counters = await this.#load();
    const state = await counters.get(this.#prefixed(key));
    // The library forgets by a timer, which may be late.
    return state === null || state.msBeforeNext <= 0 ? null : state;
  }

  async penalty(key: string, points = 1): Promise<LimiterState> {
    const counters = await this.#load();
    const customDuration = this.#options.duration;
    return counters.penalty(this.#prefixed(key), points, { customDuration });
  }

  async block(key: string, seconds: number): Promise<unknown> {
    const counters = await this.#load();
    return counters.block(this.#prefixed(key), seconds);
  }

  async delete(key: string): Promise<boolean> {
    const counters = await this.#load();
    return counters.delete(this.#prefixed(key));
  }

  #prefixed(key: string): string {
    return `${this.#options.keyPrefix}:${key}`;
  }
}

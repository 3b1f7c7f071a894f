import type { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Limiter, LimiterFactory, LimiterOptions, LimiterState } from '../limiter.ts';

/** The library forgets by `setTimeout`, which fires at once for 2^31 ms or more: so 24 days at most. */
const MAX_WINDOW_SECONDS = 24 * 86_400;

/**
 * Counters in memory, by `RateLimiterMemory` of `rate-limiter-flexible`. Limiters of one prefix share their
 * counters, as two connections to one server would. Windows run on the system's clock.
 */
export function memoryLimiters(): LimiterFactory {
  let counters: Promise<RateLimiterMemory> | undefined;
  // The library takes 20 ms to load: the first counter pays for that, not the start of the process.
  const load = () => {
    counters ??= import('rate-limiter-flexible').then(
      // Every call brings its own key and window, and `consume` is never called, so none of these options is read.
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

  async penalty(key: string): Promise<LimiterState> {
    const counters = await this.#load();
    const customDuration = Math.min(this.#options.duration, MAX_WINDOW_SECONDS);
    return counters.penalty(this.#prefixed(key), 1, { customDuration });
  }

  async block(key: string, seconds: number): Promise<unknown> {
    const counters = await this.#load();
    return counters.block(this.#prefixed(key), Math.min(seconds, MAX_WINDOW_SECONDS));
  }

  async delete(key: string): Promise<boolean> {
    const counters = await this.#load();
    return counters.delete(this.#prefixed(key));
  }

  #prefixed(key: string): string {
    return `${this.#options.keyPrefix}:${key}`;
  }
}

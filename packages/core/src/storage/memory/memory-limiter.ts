import { type Clock, steadyClock, systemClock } from '../../ports/clock.ts';
import { EngineCalls } from '../engine/engine-calls.ts';
import { limitersOn } from '../engine/limiters-on.ts';
import { memoryEngine } from '../engine/memory-engine.ts';
import type { LimiterFactory } from '../limiter.ts';

/**
 * Counters in memory. Limiters of one storage with the same prefix share their counters. Windows use the monotonic
 * clock: by the wall clock, a lock would last an hour longer if that is set back by an hour.
 */
export function memoryLimiters(clock: Clock = systemClock): LimiterFactory {
  const engine = memoryEngine(steadyClock(clock));
  return limitersOn(new EngineCalls(engine, { deadlineMs: null, clock }));
}

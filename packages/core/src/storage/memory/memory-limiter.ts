import { type Clock, steadyClock, systemClock } from '../../ports/clock.ts';
import { EngineCalls } from '../engine/engine-calls.ts';
import { limitersOn } from '../engine/limiters-on.ts';
import { memoryEngine } from '../engine/memory-engine.ts';
import type { LimiterFactory } from '../limiter.ts';

/**
 * Counters in memory. Limiters of one prefix share their counters, as two connections to one server would. Windows run
 * on the system's monotonic clock: if the time of day were set back by an hour, a lock would last an hour longer.
 */
export function memoryLimiters(clock: Clock = systemClock): LimiterFactory {
  const engine = memoryEngine(steadyClock(clock));
  return limitersOn(new EngineCalls(engine, { deadlineMs: null, clock }));
}

import type { LimiterState } from '@latchhook/core/storage';
import type { FunctionResult } from '../../function-result.ts';

/** Reads the points of a counter and the time left in its window from the result of a function. */
export function counterState(result: FunctionResult): LimiterState {
  return {
    consumedPoints: result.integer('points'),
    msBeforeNext: result.integer('msBeforeNext'),
  };
}

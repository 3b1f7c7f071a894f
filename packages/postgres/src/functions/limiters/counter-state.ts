import type { LimiterState } from '@latchhook/core/storage';
import type { FunctionAnswer } from '../../function-answer.ts';

/** Reads the points of a counter and the time left in its window from the result of a function. */
export function counterState(answer: FunctionAnswer): LimiterState {
  return {
    consumedPoints: answer.integer('points'),
    msBeforeNext: answer.integer('msBeforeNext'),
  };
}

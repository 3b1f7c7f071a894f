import type { LimiterState } from '@latchhook/core/storage';
import type { FunctionAnswer } from '../../function-answer.ts';

/** What the functions of counters answer of one: its points, and the time left in the window. */
export function counterState(answer: FunctionAnswer): LimiterState {
  return {
    consumedPoints: answer.integer('points'),
    msBeforeNext: answer.integer('msBeforeNext'),
  };
}

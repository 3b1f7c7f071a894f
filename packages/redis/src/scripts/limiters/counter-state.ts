import type { LimiterState } from '@latchhook/core/storage';
import type { ScriptReply } from '../../script-reply.ts';

/** Reads the points of a counter and the time left in its window from the reply of a script. */
export function counterState(reply: ScriptReply): LimiterState {
  return { consumedPoints: reply.integer(), msBeforeNext: reply.integer() };
}

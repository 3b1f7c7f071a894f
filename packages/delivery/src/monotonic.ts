import type { Clock } from '@latchhook/core';

/** The reading that delays are measured by: the time of day may be set back. */
export function monotonicMs(clock: Clock): number {
  return clock.monotonicMs?.() ?? clock.nowMs();
}

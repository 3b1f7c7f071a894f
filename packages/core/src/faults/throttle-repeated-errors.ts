import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/** For how long the same fault is not reported again, ms. */
const THROTTLE_MS = 60_000;
/** How many faults are remembered: nothing else limits the number of different messages, which come from drivers. */
const MAX_REMEMBERED = 100;
/** How much of a message is compared: enough to distinguish messages. */
const MAX_MESSAGE_CHARS = 200;

/**
 * Passes events on to `emit`, but the same fault only once a minute.
 *
 * For background work: an outage makes every connection and every attempt fail, again and again. One event is as useful
 * as thousands, and listeners may send mail. The faults of requests are not throttled.
 */
export function throttleRepeatedErrors(
  emit: (event: SecurityEvent) => void,
  clock: Clock,
): (event: SecurityEvent) => void {
  const reportedAtMs = new Map<string, number>();

  /** Whether to report a fault, which is then remembered: at most one with the same key a minute. */
  function shouldReport(key: string): boolean {
    const nowMs = monotonicMs(clock);
    const lastMs = reportedAtMs.get(key);
    if (lastMs !== undefined && nowMs - lastMs < THROTTLE_MS) return false;
    if (reportedAtMs.size >= MAX_REMEMBERED) reportedAtMs.clear();
    reportedAtMs.set(key, nowMs);
    return true;
  }

  return (event) => {
    const isRepeated =
      event.type === 'fault' && !shouldReport(`${event.where} ${keyOf(event.error)}`);
    if (!isRepeated) emit(event);
  };
}

/** The code of an error, or else its message without words that have digits: ids of jobs, ports and scripts vary. */
function keyOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const label =
    'code' in error
      ? String(error.code)
      : error.message.slice(0, MAX_MESSAGE_CHARS).replace(/\S*\d\S*/g, '#');
  return `${error.name} ${label}`;
}

import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/** How long a fault is not reported again, ms. */
const THROTTLE_MS = 60_000;
/** How many faults are remembered: drivers word the messages, so nothing else limits how many differ. */
const MAX_REMEMBERED = 100;

/** How much of a message is compared: enough to tell one from another. */
const MAX_NAME_CHARS = 200;

/**
 * Passes events on to `emit`, but the same fault only once a minute.
 *
 * For background work: an outage fails every connection and every attempt at once, again and again. One event says as
 * much as thousands, and listeners may send mail. Faults of requests are reported each time.
 */
export function throttleRepeatedErrors(
  emit: (event: SecurityEvent) => void,
  clock: Clock,
): (event: SecurityEvent) => void {
  const reportedAtMs = new Map<string, number>();

  function isNew(name: string): boolean {
    const nowMs = monotonicMs(clock);
    const lastMs = reportedAtMs.get(name);
    if (lastMs !== undefined && nowMs - lastMs < THROTTLE_MS) return false;
    if (reportedAtMs.size >= MAX_REMEMBERED) reportedAtMs.clear();
    reportedAtMs.set(name, nowMs);
    return true;
  }

  return (event) => {
    if (event.type !== 'fault' || isNew(`${event.where} ${nameOf(event.error)}`)) emit(event);
  };
}

/** By its code, or else by its message without words that have digits: ids of jobs, ports and scripts vary. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const label =
    'code' in error
      ? String(error.code)
      : error.message.slice(0, MAX_NAME_CHARS).replace(/\S*\d\S*/g, '#');
  return `${error.name} ${label}`;
}

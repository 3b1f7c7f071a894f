import { type Clock, monotonicMs } from './clock.ts';
import type { SecurityEvent } from './telemetry.ts';

/** How long the same fault is not told again, ms. */
const QUIET_MS = 60_000;
/** Faults that are remembered. Messages are of others' making, so their number has no other bound. */
const MAX_REMEMBERED = 100;

/** Of a message: no more is needed to tell one from another. */
const MAX_NAME_CHARS = 200;

/**
 * Hands events on to `emit`, but the same fault once a minute.
 *
 * For what works in the background: an outage fails every connection and every attempt at once, again and again. One
 * event says as much as thousands, and those who listen may well send mail. A request that fails is told each time.
 */
export function quietFaults(
  emit: (event: SecurityEvent) => void,
  clock: Clock,
): (event: SecurityEvent) => void {
  const toldAtMs = new Map<string, number>();

  function isNews(name: string): boolean {
    const nowMs = monotonicMs(clock);
    const lastMs = toldAtMs.get(name);
    if (lastMs !== undefined && nowMs - lastMs < QUIET_MS) return false;
    if (toldAtMs.size >= MAX_REMEMBERED) toldAtMs.clear();
    toldAtMs.set(name, nowMs);
    return true;
  }

  return (event) => {
    if (event.type !== 'fault' || isNews(`${event.where} ${nameOf(event.error)}`)) emit(event);
  };
}

/** By code where there is one, and else without what differs each time: messages name jobs, ports and scripts. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const what =
    'code' in error
      ? String(error.code)
      : error.message.slice(0, MAX_NAME_CHARS).replace(/\S*\d\S*/g, '#');
  return `${error.name} ${what}`;
}

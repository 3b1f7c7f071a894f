import { type Clock, monotonicMs } from './clock.ts';
import type { SecurityEvent } from './security-events.ts';

/** How long further rejections of one kind are only counted, ms. */
const THROTTLE_MS = 60_000;
/** How many kinds are remembered: a session has kinds of its own, so nothing else limits their number. */
const MAX_REMEMBERED = 10_000;

/** Rejections of which one client can cause any number; `count` says how many rejections an event stands for. */
export type RepeatedRejection = Extract<
  SecurityEvent,
  { readonly type: 'access_token.rejected' | 'enrolment.failed' }
>;

/** Returns the event to pass on, with the count of those withheld before it; `null`: this one is withheld. */
export type ThrottleRepeatedRejections = (event: RepeatedRejection) => RepeatedRejection | null;

/**
 * Passes on the first rejection of each kind, then at most one a minute: a swapped key rejects every request, and a
 * thief of a session may try all day. No timer reports withheld ones: the next rejection does.
 */
export function throttleRepeatedRejections(clock: Clock): ThrottleRepeatedRejections {
  /** In the order in which the kinds were last passed on. */
  const passedOn = new Map<string, { readonly atMs: number; withheld: number }>();

  return (event) => {
    const nowMs = monotonicMs(clock);
    const kind = kindOf(event);
    const last = passedOn.get(kind);
    if (last !== undefined && nowMs - last.atMs < THROTTLE_MS) {
      last.withheld += event.count;
      return null;
    }
    passedOn.delete(kind);
    passedOn.set(kind, { atMs: nowMs, withheld: 0 });
    const [first] = passedOn.keys();
    if (first !== undefined && passedOn.size > MAX_REMEMBERED) passedOn.delete(first);
    return { ...event, count: event.count + (last?.withheld ?? 0) };
  };
}

/** Whether subscribers get it once a minute only. Wrong codes have a quota, and each of them matters. */
export function isRepeatedRejection(event: SecurityEvent): event is RepeatedRejection {
  if (event.type === 'access_token.rejected') return true;
  return event.type === 'enrolment.failed' && event.reason !== 'wrong_code';
}

function kindOf(event: RepeatedRejection): string {
  return event.type === 'enrolment.failed' ? `${event.reason} ${event.sessionId}` : event.reason;
}

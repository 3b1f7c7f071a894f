import { type Clock, monotonicMs } from './clock.ts';
import type { SecurityEvent } from './security-events.ts';

/** How long further rejections of one kind are only counted, ms. */
const THROTTLE_MS = 60_000;
/** The most kinds that are remembered: each session has its own kinds, so nothing else limits their number. */
const MAX_REMEMBERED = 10_000;

/** Rejections that one client can cause in any number; `count` says how many rejections an event stands for. */
export type RepeatedRejection = Extract<
  SecurityEvent,
  { readonly type: 'access_token.rejected' | 'enrolment.failed' }
>;

/** Returns the event to pass on, which counts the withheld events before it too; `null`: the event is withheld. */
export type ThrottleRepeatedRejections = (event: RepeatedRejection) => RepeatedRejection | null;

/**
 * Passes on the first rejection of each kind, then at most one a minute: with a swapped key every request is rejected,
 * and a thief of a session may try all day. No timer reports withheld rejections: the next rejection counts them.
 */
export function throttleRepeatedRejections(clock: Clock): ThrottleRepeatedRejections {
  /** By kind, the rejection that was passed on last. The kinds are in the order of these rejections. */
  const lastPassedOn = new Map<string, { readonly atMs: number; withheld: number }>();

  return (event) => {
    const nowMs = monotonicMs(clock);
    const kind = kindOf(event);
    const lastOfKind = lastPassedOn.get(kind);
    if (lastOfKind !== undefined && nowMs - lastOfKind.atMs < THROTTLE_MS) {
      lastOfKind.withheld += event.count;
      return null;
    }
    lastPassedOn.delete(kind);
    lastPassedOn.set(kind, { atMs: nowMs, withheld: 0 });
    const [oldestKind] = lastPassedOn.keys();
    if (oldestKind !== undefined && lastPassedOn.size > MAX_REMEMBERED) {
      lastPassedOn.delete(oldestKind);
    }
    return { ...event, count: event.count + (lastOfKind?.withheld ?? 0) };
  };
}

/** Whether the event is throttled. Wrong codes are not: a quota limits them, and each of them matters. */
export function isRepeatedRejection(event: SecurityEvent): event is RepeatedRejection {
  if (event.type === 'access_token.rejected') return true;
  return event.type === 'enrolment.failed' && event.reason !== 'wrong_code';
}

function kindOf(event: RepeatedRejection): string {
  return event.type === 'enrolment.failed' ? `${event.reason} ${event.sessionId}` : event.reason;
}

import { type Clock, monotonicMs } from './clock.ts';
import type { SecurityEvent } from './security-events.ts';

/** How long rejections of one kind are only counted, ms. */
const THROTTLE_MS = 60_000;
/** Kinds that are remembered: a session has kinds of its own, so nothing else bounds their number. */
const MAX_REMEMBERED = 10_000;

/** Rejections that may come without end, from one client alone: each says how many like it it stands for. */
export type RepeatedRejection = Extract<
  SecurityEvent,
  { readonly type: 'access_token.rejected' | 'enrolment.failed' }
>;

/** The event to pass on, with the count of those held back before it; `null`: this one is held back. */
export type ThrottleRepeatedRejections = (event: RepeatedRejection) => RepeatedRejection | null;

/**
 * Passes on the first rejection of each kind, then at most one a minute: a swapped key rejects every request, and
 * anyone who has stolen a session may ask all day. No timer reports those held back: the next rejection does.
 */
export function throttleRepeatedRejections(clock: Clock): ThrottleRepeatedRejections {
  /** The kind that was passed on last is the last. */
  const passedOn = new Map<string, { readonly atMs: number; heldBack: number }>();

  return (event) => {
    const nowMs = monotonicMs(clock);
    const kind = kindOf(event);
    const last = passedOn.get(kind);
    if (last !== undefined && nowMs - last.atMs < THROTTLE_MS) {
      last.heldBack += event.count;
      return null;
    }
    passedOn.delete(kind);
    passedOn.set(kind, { atMs: nowMs, heldBack: 0 });
    const [first] = passedOn.keys();
    if (first !== undefined && passedOn.size > MAX_REMEMBERED) passedOn.delete(first);
    return { ...event, count: event.count + (last?.heldBack ?? 0) };
  };
}

/** Whether a subscriber is to hear it once a minute only. Wrong codes have a quota, and each of them is news. */
export function isRepeatedRejection(event: SecurityEvent): event is RepeatedRejection {
  if (event.type === 'access_token.rejected') return true;
  return event.type === 'enrolment.failed' && event.reason !== 'wrong_code';
}

function kindOf(event: RepeatedRejection): string {
  return event.type === 'enrolment.failed' ? `${event.reason} ${event.sessionId}` : event.reason;
}

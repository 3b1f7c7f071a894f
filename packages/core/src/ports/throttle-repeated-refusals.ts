import { type Clock, monotonicMs } from './clock.ts';
import type { SecurityEvent } from './security-events.ts';

/** How long refusals of one kind are only counted, ms. */
const THROTTLE_MS = 60_000;
/** Kinds that are remembered: a session has kinds of its own, so nothing else bounds their number. */
const MAX_REMEMBERED = 10_000;

/** Refusals that may come without end, from one client alone: each says how many like it it stands for. */
export type RepeatedRefusal = Extract<
  SecurityEvent,
  { readonly type: 'access_token.refused' | 'enrolment.failed' }
>;

/** The event to pass on, with the count of those held back before it; `null`: this one is held back. */
export type ThrottleRepeatedRefusals = (event: RepeatedRefusal) => RepeatedRefusal | null;

/**
 * Passes on the first refusal of each kind, then at most one a minute: a swapped key refuses every request, and whoever
 * has stolen a session may ask all day. No timer reports those held back: the next refusal does.
 */
export function throttleRepeatedRefusals(clock: Clock): ThrottleRepeatedRefusals {
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
export function isRepeatedRefusal(event: SecurityEvent): event is RepeatedRefusal {
  if (event.type === 'access_token.refused') return true;
  return event.type === 'enrolment.failed' && event.reason !== 'wrong_code';
}

function kindOf(event: RepeatedRefusal): string {
  return event.type === 'enrolment.failed' ? `${event.reason} ${event.sessionId}` : event.reason;
}

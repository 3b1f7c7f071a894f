import { type Clock, monotonicMs } from './clock.ts';
import type {
  AccessTokenRefusalReason,
  AccessTokenSecurityEvent,
} from './events/access-token-security-event.ts';

/** For how long refusals of one reason are only counted, ms. */
const QUIET_MS = 60_000;

/** The event to pass on, with the count of those held back before it; `null`: this one is held back. */
export type RefusalDigest = (event: AccessTokenSecurityEvent) => AccessTokenSecurityEvent | null;

/**
 * Passes on the first refusal of each reason, then at most one a minute: a swapped key refuses every request. No timer
 * reports those held back: the next refusal does.
 */
export function createRefusalDigest(clock: Clock): RefusalDigest {
  const passedOn = new Map<AccessTokenRefusalReason, { atMs: number; heldBack: number }>();

  return (event) => {
    const nowMs = monotonicMs(clock);
    const last = passedOn.get(event.reason);
    if (last !== undefined && nowMs - last.atMs < QUIET_MS) {
      last.heldBack += event.count;
      return null;
    }
    passedOn.set(event.reason, { atMs: nowMs, heldBack: 0 });
    return { ...event, count: event.count + (last?.heldBack ?? 0) };
  };
}

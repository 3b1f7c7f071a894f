import { type Clock, monotonicMs } from '../ports/clock.ts';

/** When a login began: before its user was read, so that any later change of the user is newer than the login. */
export interface LoginStart {
  /** When the user was authenticated, by the wall clock, ms: now, or the earlier time that the host names. */
  readonly authTimeMs: number;
  /** When the call began, by the monotonic clock, ms. */
  readonly monotonicMs: number;
}

export function startLogin(clock: Clock): LoginStart {
  return { authTimeMs: clock.nowMs(), monotonicMs: monotonicMs(clock) };
}

/** The time since a login began, rounded up: the login may seem to have begun a little earlier, but never later. */
export function msSince(start: LoginStart, clock: Clock): number {
  return Math.max(0, Math.ceil(monotonicMs(clock) - start.monotonicMs));
}

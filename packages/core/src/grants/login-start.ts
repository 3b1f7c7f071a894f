import { type Clock, monotonicMs } from '../ports/clock.ts';

/** The moment before the user is read: any change that the host makes later is newer than this login. */
export interface LoginStart {
  readonly authTimeMs: number;
  readonly monotonicMs: number;
}

export function startLogin(clock: Clock): LoginStart {
  return { authTimeMs: clock.nowMs(), monotonicMs: monotonicMs(clock) };
}

/** The time since a login began, rounded up: the login may seem to have begun a little earlier, but never later. */
export function msSince(start: LoginStart, clock: Clock): number {
  return Math.max(0, Math.ceil(monotonicMs(clock) - start.monotonicMs));
}

import type { StoredLogin } from './stored-login.ts';

/** Converts `receivedAtMs` of a login to the monotonic clock, ms. Call it as soon as the login is received or read. */
export function monotonicReceiptMs(login: StoredLogin): number {
  const ageMs = Date.now() - login.receivedAtMs;
  // A negative age: the wall clock was set back, by an unknown time, so the token counts as expired.
  return performance.now() - (ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs);
}

/**
 * How long the access token of a login is still valid, ms, by the clock that shows the greater age: the monotonic clock
 * may stop while the device sleeps, and the wall clock may be set back.
 */
export function remainingLifetimeMs(login: StoredLogin, receivedAtMs: number): number {
  const ageMs = Math.max(performance.now() - receivedAtMs, Date.now() - login.receivedAtMs);
  return login.expiresInSeconds * 1000 - ageMs;
}

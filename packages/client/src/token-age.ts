import type { StoredLogin } from './stored-login.ts';

/** When the access token of a login that was just received or read was received, by the monotonic clock, ms. */
export function monotonicReceiptMs(login: StoredLogin): number {
  const ageMs = Date.now() - login.receivedAtMs;
  // A negative age: the wall clock was set back, by an unknown time, so the token counts as expired.
  return performance.now() - (ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs);
}

/**
 * How long the access token of a login is still valid, ms. By the clock on which it is older: the monotonic clock may
 * stop while the device sleeps, and the wall clock may be set back.
 */
export function remainingLifetimeMs(login: StoredLogin, receivedAtMs: number): number {
  const ageMs = Math.max(performance.now() - receivedAtMs, Date.now() - login.receivedAtMs);
  return login.expiresInSeconds * 1000 - ageMs;
}

/** A wait for `Retry-After` (RFC 9110 10.2.3): whole seconds, rounded up, and never 0, which would mean immediately. */
export function secondsToWait(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/** The largest deviation, as a share of the delay. */
const SPREAD = 0.2;

/**
 * Adds or subtracts up to a fifth of a delay, so that deliveries that failed together are not all retried together.
 *
 * @param random - from 0 up to 1
 */
export function jittered(ms: number, random: () => number): number {
  return ms * (1 - SPREAD + 2 * SPREAD * random());
}

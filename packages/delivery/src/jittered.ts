/** The share of the length that is added or taken away at most. */
const SPREAD = 0.2;

/**
 * A length of time, give or take a fifth, so that what began together does not come back together.
 *
 * @param random - from 0 up to 1
 */
export function jittered(ms: number, random: () => number): number {
  return ms * (1 - SPREAD + 2 * SPREAD * random());
}

/** Of the length, to either side. */
const SPREAD = 0.2;

/**
 * As long as this, give or take a fifth: what was begun together does not come back together.
 *
 * @param random from 0 up to 1
 */
export function jittered(ms: number, random: () => number): number {
  return ms * (1 - SPREAD + 2 * SPREAD * random());
}

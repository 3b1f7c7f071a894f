/**
 * Refuses a call without its object, which JavaScript allows.
 *
 * @param what - the object, as the integrator has to write it
 * @throws {TypeError}
 */
export function assertGiven(given: unknown, what: string): void {
  if (typeof given === 'object' && given !== null) return;
  throw new TypeError(`give ${what}`);
}

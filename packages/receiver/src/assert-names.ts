/** All names of a type: one that is missing here, or that the type does not have, does not compile. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Rejects what does not exist: with a misspelt `toleranceSeconds`, the default would apply, and nobody would say so.
 *
 * @param sample - what to give, for the error: `{ secret }`
 * @throws {TypeError} for what is no object, and for an unknown name
 */
export function assertNames<Options>(
  given: unknown,
  names: NamesOf<Options>,
  sample: string,
): asserts given is Options {
  if (typeof given !== 'object' || given === null) throw new TypeError(`give options: ${sample}`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const known = Object.keys(names).join(', ');
  throw new TypeError(`there is no option ${JSON.stringify(unknown)}; there are: ${known}`);
}

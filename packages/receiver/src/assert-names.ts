/** All property names of a type. A missing or unknown name is a compile error. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Rejects unknown options, as with a misspelt `toleranceSeconds` the default would apply unnoticed.
 *
 * @param sample - an example of the options for the error: `{ secret }`
 * @throws {TypeError} for a value that is not an object, and for an unknown name
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

/** An object with all property names of `Options`. A missing or unknown name is a compile error. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Rejects unknown options because the default would apply unnoticed if an option were misspelt.
 *
 * @param sample - an example of the options for the error: `{ secret }`
 * @throws {TypeError} for a value that is not an object, and for an unknown name
 */
export function assertNames<Options>(
  input: unknown,
  names: NamesOf<Options>,
  sample: string,
): asserts input is Options {
  if (typeof input !== 'object' || input === null) throw new TypeError(`give options: ${sample}`);
  const unknownName = Object.keys(input).find((name) => !Object.hasOwn(names, name));
  if (unknownName === undefined) return;
  const list = Object.keys(names).join(', ');
  throw new TypeError(`there is no option ${JSON.stringify(unknownName)}; there are: ${list}`);
}

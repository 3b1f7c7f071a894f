import { uncheckedFields } from './unchecked-fields.ts';

/** The names of the methods that `object` lacks, as `<path>.<name>`; all of them if it is not an object. */
export function missingMethods(path: string, object: unknown, names: readonly string[]): string[] {
  const methods = uncheckedFields<Readonly<Record<string, unknown>>>(object);
  return names
    .filter((name) => typeof methods[name] !== 'function')
    .map((name) => `${path}.${name}`);
}

/** The names of those methods that `given` lacks, as `<path>.<name>`; all of them where it is no object. */
export function missingMethods(path: string, given: unknown, names: readonly string[]): string[] {
  const methods = Object(given) as Readonly<Record<string, unknown>>;
  return names
    .filter((name) => typeof methods[name] !== 'function')
    .map((name) => `${path}.${name}`);
}

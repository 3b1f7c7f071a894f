import { ConfigError, type ConfigErrorCode } from './errors.ts';

/** All option names of a type: a missing or an additional name does not compile. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Rejects options that do not exist, and says which do.
 *
 * @param group - the function or the option group of the options: `inProcessWorker`, `webhooks`
 * @param code - thrown if `options` is not an object
 * @throws {ConfigError} `code`, `option_unknown`
 */
export function assertNames(
  group: string,
  code: ConfigErrorCode,
  options: unknown,
  names: Readonly<Record<string, true>>,
): void {
  const knownNames = Object.keys(names).join(', ');
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigError(code, `${group} takes an object of: ${knownNames}`);
  }
  const unknown = unknownName(options, names);
  if (unknown === undefined) return;
  throw new ConfigError(
    'option_unknown',
    `${group} knows no ${JSON.stringify(unknown)}; it takes: ${knownNames}`,
  );
}

/** The first name of `options` that is not in `names`. */
export function unknownName(
  options: object,
  names: Readonly<Record<string, true>>,
): string | undefined {
  return Object.keys(options).find((name) => !Object.hasOwn(names, name));
}

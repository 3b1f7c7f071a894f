import { ConfigError, type ConfigErrorCode } from './errors.ts';

/** All option names of a type: one that is missing here, or that the type does not have, does not compile. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Rejects options that do not exist, and says which do.
 *
 * @param group - whose options they are, as the integrator knows it: `inProcessWorker`, `webhooks`
 * @param code - thrown where `given` is not an object
 * @throws {ConfigError} `code`, `option_unknown`
 */
export function assertNames(
  group: string,
  code: ConfigErrorCode,
  given: unknown,
  names: Readonly<Record<string, true>>,
): void {
  const known = Object.keys(names).join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigError(code, `${group} takes an object of: ${known}`);
  }
  const unknown = unknownName(given, names);
  if (unknown === undefined) return;
  throw new ConfigError(
    'option_unknown',
    `${group} knows no ${JSON.stringify(unknown)}; it takes: ${known}`,
  );
}

/** The first name of `given` that is not in `names`. */
export function unknownName(
  given: object,
  names: Readonly<Record<string, true>>,
): string | undefined {
  return Object.keys(given).find((name) => !Object.hasOwn(names, name));
}

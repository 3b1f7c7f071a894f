import { ConfigError, type ConfigErrorCode } from './errors.ts';

/** Typed so that an option without its name here does not compile, and neither does a name without its option. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Refuses options that do not exist, and says which do.
 *
 * @param group what the options are of, as the integrator knows it: `bullmqDelivery`, `webhooks`
 * @param code for what is no object
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
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  throw new ConfigError(
    'option_unknown',
    `${group} knows no ${JSON.stringify(unknown)}; it takes: ${known}`,
  );
}

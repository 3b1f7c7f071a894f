import { ConfigError } from './errors.ts';

/**
 * Returns an integer option, or its default.
 *
 * @param name - the full name of the option: `lifetimes.challengeSeconds`
 * @throws {ConfigError} `option_out_of_bounds`
 */
export function boundedInteger(
  name: string,
  value: number | undefined,
  fallback: number,
  [min, max = Number.MAX_SAFE_INTEGER]: readonly [min: number, max?: number],
): number {
  // Not `??`: an integrator without types may give `null`, which is a mistake.
  const chosen = value === undefined ? fallback : value;
  if (Number.isSafeInteger(chosen) && chosen >= min && chosen <= max) return chosen;
  const bounds = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  throw new ConfigError('option_out_of_bounds', `${name} must be an integer ${bounds}`);
}

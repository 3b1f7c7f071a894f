import { ConfigError } from '../errors.ts';

/** How strictly options are checked. */
export type Environment = 'production' | 'development';

/**
 * Returns the option, or derives it from `NODE_ENV`.
 *
 * Security: only the names that a developer's machine uses are lenient. `staging`, `prod` and all other names may serve
 * real users, and are as strict as production.
 *
 * @throws {ConfigError} `environment_invalid`
 */
export function resolveEnvironment(option: Environment | undefined): Environment {
  if (option === 'production' || option === 'development') return option;
  if (option !== undefined) {
    throw new ConfigError(
      'environment_invalid',
      "environment must be 'production' or 'development'; leave it out to go by NODE_ENV",
    );
  }
  const { NODE_ENV } = process.env;
  const lenient = NODE_ENV === undefined || NODE_ENV === 'development' || NODE_ENV === 'test';
  return lenient ? 'development' : 'production';
}

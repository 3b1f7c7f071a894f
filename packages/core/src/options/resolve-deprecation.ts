import { ConfigError } from '../errors.ts';
import type { Deprecation } from '../routes/put-token.ts';

const DEFAULT_DEPRECATION: Deprecation = { since: new Date('2026-01-01T00:00:00Z') };

/** @throws {ConfigError} `put_token_deprecation_invalid` */
export function resolveDeprecation(deprecation: Deprecation = DEFAULT_DEPRECATION): Deprecation {
  const { since, sunset } = deprecation;
  if (!isDate(since) || (sunset !== undefined && !isDate(sunset))) {
    throw invalid(
      'since and putTokenDeprecation.sunset must be valid Dates, such as new Date("2026-01-01T00:00:00Z")',
    );
  }
  // RFC 9745 4
  if (sunset !== undefined && sunset < since) {
    throw invalid('sunset must not come before since');
  }
  return deprecation;
}

function isDate(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

function invalid(what: string): ConfigError {
  return new ConfigError('put_token_deprecation_invalid', `putTokenDeprecation.${what}`);
}

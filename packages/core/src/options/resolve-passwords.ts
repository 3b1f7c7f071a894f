import { ConfigError } from '../errors.ts';
import type { PasswordOptions } from '../passwords/password-options.ts';
import { missingMethods } from './missing-methods.ts';

/**
 * Checks the types; the verifier checks the numbers.
 *
 * @throws {ConfigError} `passwords_invalid`
 */
export function resolvePasswords(passwords: PasswordOptions = {}): PasswordOptions {
  const { verifier, schemes, gate, normalization } = passwords;
  if (verifier !== undefined && typeof verifier !== 'function') {
    throw invalid('verifier must be a function of a user and a password');
  }
  if (schemes !== undefined && !(Array.isArray(schemes) && schemes.every(isScheme))) {
    throw invalid('schemes must be a list of schemes, such as [bcryptScheme({ compare })]');
  }
  if (gate !== undefined && typeof gate !== 'boolean') throw invalid('gate must be true or false');
  if (normalization !== undefined && normalization !== 'NFC' && normalization !== 'none') {
    throw invalid("normalization must be 'NFC' or 'none'");
  }
  return passwords;
}

function isScheme(scheme: unknown): boolean {
  return missingMethods('scheme', scheme, ['recognises', 'verify']).length === 0;
}

function invalid(what: string): ConfigError {
  return new ConfigError('passwords_invalid', `passwords.${what}`);
}

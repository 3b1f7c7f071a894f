import type { AccountId } from '../account-id.ts';
import { ConfigError } from '../errors.ts';
import type { AnyAuthInfo, AuthInfo } from './auth-info.ts';

/**
 * Returns the `AuthInfo` that `requireAuth` has set.
 *
 * @param place - the property that `requireAuth` sets, for the message: `req.auth`
 * @throws {ConfigError} `auth_missing` if the value is not an `AuthInfo`: `requireAuth` does not guard the route, or
 * another library has overwritten the property
 */
export function guardedAuth<Claims extends object, Scopes extends string, Id extends AccountId>(
  value: unknown,
  place: string,
): AuthInfo<Claims, Scopes, Id> {
  // The types of claims, scopes and accounts follow from the options of `createAuth`; they cannot be checked here.
  if (isAuthInfo(value)) return value as AnyAuthInfo as AuthInfo<Claims, Scopes, Id>;
  throw new ConfigError(
    'auth_missing',
    `${place} is not set: guard this route with requireAuth(auth), and let nothing else write ${place} after it`,
  );
}

function isAuthInfo(value: unknown): value is AnyAuthInfo {
  return typeof value === 'object' && value !== null && 'credential' in value && 'userId' in value;
}

import { ConfigError } from '../errors.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import type { AuthInfo } from './auth-info.ts';

/**
 * Reads what `requireAuth` has set.
 *
 * @param place - where that is, for the error: `req.auth`
 * @throws {ConfigError} `auth_missing` where nothing is there, or something else: no `requireAuth` guards the route, or
 * another library has written there since
 */
export function guardedAuth<Claims extends HostClaims>(
  value: unknown,
  place: string,
): AuthInfo<Claims> {
  // The claims are what the option of `createAuth` has made them.
  if (isAuthInfo(value)) return value as AuthInfo<Claims>;
  throw new ConfigError(
    'auth_missing',
    `${place} is not set: guard this route with requireAuth(auth), and let nothing else write ${place} after it`,
  );
}

function isAuthInfo(value: unknown): value is AuthInfo {
  return typeof value === 'object' && value !== null && 'credential' in value && 'userId' in value;
}

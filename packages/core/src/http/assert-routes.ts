import { ConfigError } from '../errors.ts';
import type { HttpRoutes } from './http-routes.ts';

/**
 * For adapters, when their `latchhook` is mounted: a mistake stops the app at its start, not the first login.
 *
 * @param mounting - the function that is called, as the integrator knows it: `latchhook`
 * @throws {ConfigError} `auth_invalid`
 */
export function assertRoutes(mounting: string, auth: unknown): void {
  const { http } = Object(auth) as { readonly http?: unknown };
  const { owns, handle } = Object(http) as { readonly [Name in keyof HttpRoutes]?: unknown };
  if (typeof owns === 'function' && typeof handle === 'function') return;
  throw new ConfigError(
    'auth_invalid',
    `${mounting} takes what createAuth has made, as a whole: ${mounting}(auth). For the well-known documents alone it takes { http: auth.wellKnown }`,
  );
}

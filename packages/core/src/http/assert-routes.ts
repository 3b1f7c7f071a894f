import { ConfigError } from '../errors.ts';
import { uncheckedFields } from '../unchecked-fields.ts';
import type { HttpRoutes } from './http-routes.ts';

/**
 * For adapters, when the app mounts their routes: a mistake makes the start of the app fail, not the first login.
 *
 * @param mounting - the name of the function that the integrator calls, for the message: `latchhook`
 * @throws {ConfigError} `auth_invalid`
 */
export function assertRoutes(mounting: string, auth: unknown): void {
  const { http } = uncheckedFields<{ readonly http: unknown }>(auth);
  const { owns, handle } = uncheckedFields<HttpRoutes>(http);
  if (typeof owns === 'function' && typeof handle === 'function') return;
  throw new ConfigError(
    'auth_invalid',
    `${mounting} takes what createAuth has made, as a whole: ${mounting}(auth). For the well-known documents alone it takes { http: auth.wellKnown }`,
  );
}

import { type AccountId, type Auth, ConfigError, type EventTypes } from '@latchhook/core';
import { countSecurityEvents } from './count-security-events.ts';
import { assertInstrumentOptions, type InstrumentOptions } from './instrument-options.ts';
import { tracedEvents } from './traced-events.ts';
import { tracedRoutes } from './traced-routes.ts';

/**
 * Measures an app: counts security events and rejected access tokens, records each request to Latchhook's routes as a
 * span and a duration, and records each published event as a span and counts it. Mount the returned object instead of
 * `auth`. The bearer check of your own routes is not traced: it takes microseconds, and your requests have their own
 * spans.
 *
 * Faults are still written to `console.error` if nothing else subscribes to security events.
 *
 * @throws {ConfigError} `auth_invalid`, `options_invalid`, `option_unknown`
 *
 * @example
 * ```ts
 * import { type AuthOptions, createAuth } from '@latchhook/core';
 * import { instrument } from '@latchhook/opentelemetry';
 *
 * declare const options: AuthOptions;
 * const auth = instrument(createAuth(options));
 * ```
 */
export function instrument<
  Events extends EventTypes,
  Claims extends object,
  Scopes extends string,
  Id extends AccountId,
>(
  auth: Auth<Events, Claims, Scopes, Id>,
  options: InstrumentOptions = {},
): Auth<Events, Claims, Scopes, Id> {
  if (typeof auth?.securityEvents?.observe !== 'function') {
    throw new ConfigError(
      'auth_invalid',
      'instrument takes what createAuth has made, as a whole: instrument(createAuth(options))',
    );
  }
  assertInstrumentOptions('instrument', options);
  auth.securityEvents.observe(countSecurityEvents(options));
  return {
    ...auth,
    http: tracedRoutes(auth.http, options),
    wellKnown: tracedRoutes(auth.wellKnown, options),
    events: tracedEvents(auth.events, options),
  };
}

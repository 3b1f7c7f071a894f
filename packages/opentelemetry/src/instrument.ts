import type { Auth } from '@latchhook/core';
import { countSecurityEvents } from './count-security-events.ts';
import type { InstrumentOptions } from './instrument-options.ts';
import { tracedEvents } from './traced-events.ts';
import { tracedRoutes } from './traced-routes.ts';

/**
 * Measures an app: security events are counted, each request to a route of ours is a span and a duration, and so
 * is each event that is published. Mount what it answers in place of what it was given. The bearer check of your
 * own routes stays as it is: it is over in microseconds, and your requests have spans of their own.
 *
 * While nobody subscribes to security events, faults go on to `console.error`.
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
export function instrument(auth: Auth, options: InstrumentOptions = {}): Auth {
  auth.securityEvents.observe(countSecurityEvents(options));
  return {
    ...auth,
    http: tracedRoutes(auth.http, options),
    wellKnown: tracedRoutes(auth.wellKnown, options),
    events: tracedEvents(auth.events, options),
  };
}

import type { HttpRoutes } from '@latchhook/core/adapter';
import { type Attributes, SpanStatusCode } from '@opentelemetry/api';
import { durationHistogram, REQUEST_BOUNDARIES } from './duration-histogram.ts';
import { type InstrumentOptions, meterOf, tracerOf } from './instrument-options.ts';
import { nameServerRoute } from './name-server-route.ts';
import { withOverrides } from './with-overrides.ts';

/** The methods that the semantic conventions know. */
const METHODS = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '));

/**
 * Records every request as a span and a duration, with the attributes of HTTP servers. The kind of the span is
 * internal: its parent is the server span of the instrumentation of `node:http`, on which the route is set too.
 *
 * `http.route` is relative to the mount path, as that belongs to the host and may have parameters.
 */
export function tracedRoutes(routes: HttpRoutes, options: InstrumentOptions): HttpRoutes {
  const tracer = tracerOf(options);
  const durations = durationHistogram(meterOf(options), {
    name: 'latchhook.request.duration',
    description: 'Requests to the routes of Latchhook',
    boundaries: REQUEST_BOUNDARIES,
  });

  return withOverrides(routes, {
    handle(request) {
      const isKnown = METHODS.has(request.method);
      const route = routes.routeOf(request.path);
      const requestAttributes: Attributes = {
        'http.request.method': isKnown ? request.method : '_OTHER',
        ...(route !== undefined && { 'http.route': route }),
      };
      if (route !== undefined) nameServerRoute(route);
      const method = isKnown ? request.method : 'HTTP';
      const name = route === undefined ? method : `${method} ${route}`;
      const startedMs = performance.now();
      return tracer.startActiveSpan(name, { attributes: requestAttributes }, async (span) => {
        try {
          const response = await routes.handle(request);
          const responseAttributes = statusAttributes(response.status);
          durations.record((performance.now() - startedMs) / 1000, {
            ...requestAttributes,
            ...responseAttributes,
          });
          span.setAttributes(responseAttributes);
          if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          return response;
        } finally {
          span.end();
        }
      });
    },
  });
}

function statusAttributes(status: number): Attributes {
  return {
    'http.response.status_code': status,
    ...(status >= 500 && { 'error.type': String(status) }),
  };
}

import * as v from 'valibot';
import { jsonResponse } from '../http/json-response.ts';
import { defineRoute } from './define-route.ts';
import type { Route } from './route.ts';
import type { RouteUrl } from './route-url.ts';

/** `GET /openapi.json`: what is mounted, at its real paths. */
export function getOpenapi(routes: readonly Route[], routeUrl: RouteUrl): Route {
  const self: Route = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenapi',
    summary: 'This description',
    answers: {
      200: {
        description: 'An OpenAPI 3.1 document.',
        schema: v.record(v.string(), v.unknown()),
      },
    },
    errors: [],
    async handle(_input, request) {
      // Loaded when first asked for: the converter of schemas is of no use to any other route.
      const { describeRoutes } = await import('./describe-routes.ts');
      return jsonResponse(200, describeRoutes([...routes, self], routeUrl(request, '')));
    },
  });
  return self;
}

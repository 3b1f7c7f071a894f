import * as v from 'valibot';
import { jsonResponse } from '../http/json-response.ts';
import type { AuthResponse } from '../http/messages.ts';
import { toJsonSchema } from '../loading/dependencies.ts';
import { named } from '../schema/named.ts';
import { defineRoute } from './define-route.ts';
import { type Description, type DescriptionContext, describeRoutes } from './describe-routes.ts';
import type { Route } from './route.ts';
import type { RouteUrl } from './route-url.ts';

/** `GET /openapi.json`: describes the routes that are mounted, at their real paths. */
export function getOpenapi(
  routes: readonly Route[],
  routeUrl: RouteUrl,
  descriptionContext: DescriptionContext,
): Route {
  let description: Description | undefined;
  /** The last response; most hosts have only one URL. Anybody may request it, so it must cost next to nothing. */
  let last: { readonly url: string; readonly response: AuthResponse } | undefined;

  const self: Route = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenApiDocument',
    summary: 'This description',
    answers: {
      200: {
        description: 'An OpenAPI 3.1 document.',
        schema: named('OpenApiDocument', v.record(v.string(), v.unknown())),
      },
    },
    async handle(_input, request) {
      const url = routeUrl(request, '');
      if (last?.url === url) return last.response;
      await toJsonSchema.load();
      description ??= describeRoutes([...routes, self], descriptionContext);
      // Frozen because all later requests share it: the host must not change it.
      const response = Object.freeze(jsonResponse(200, description(url)));
      last = { url, response };
      return response;
    },
  });
  return self;
}

import * as v from 'valibot';
import { publicJsonResponse } from '../http/json-response.ts';
import { named } from '../schema/named.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { defineRoute } from './define-route.ts';
import type { Route } from './route.ts';
import type { RouteUrl } from './route-url.ts';
import { GRANT_TYPES } from './token-schemas.ts';

const MAX_AGE_SECONDS = 300;

/** The routes that the metadata names. */
export interface Endpoints {
  readonly token: Route;
  readonly revocation: Route;
  readonly introspection: Route;
  readonly jwks: Route;
}

/**
 * `GET /.well-known/oauth-authorization-server` (RFC 8414), by which standard clients find the endpoints. There is no
 * authorization endpoint, and so no response type: this is a first-party login.
 */
export function getMetadata(
  issuer: string,
  scopeTable: ScopeTable,
  routeUrl: RouteUrl,
  endpoints: Endpoints,
): Route {
  return defineRoute({
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    operationId: 'getServerMetadata',
    summary: 'The URLs of the endpoints',
    answers: {
      200: {
        description: 'Authorization server metadata.',
        schema: named('ServerMetadata', v.record(v.string(), v.unknown())),
        maxAgeSeconds: MAX_AGE_SECONDS,
      },
    },
    handle: (_input, request) =>
      publicJsonResponse(
        {
          issuer,
          token_endpoint: routeUrl(request, endpoints.token.path),
          revocation_endpoint: routeUrl(request, endpoints.revocation.path),
          introspection_endpoint: routeUrl(request, endpoints.introspection.path),
          jwks_uri: routeUrl(request, endpoints.jwks.path),
          scopes_supported: scopeTable.names,
          response_types_supported: [],
          grant_types_supported: GRANT_TYPES,
          token_endpoint_auth_methods_supported: ['none'],
          revocation_endpoint_auth_methods_supported: ['none'],
          // RFC 8414 2: a type of access token may be listed here instead of a method of client authentication.
          introspection_endpoint_auth_methods_supported: ['Bearer'],
        },
        MAX_AGE_SECONDS,
      ),
  });
}

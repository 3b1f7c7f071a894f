import * as v from 'valibot';
import { publicJsonResponse } from '../http/json-response.ts';
import { SCOPES } from '../scope.ts';
import type { Route } from './route.ts';
import type { RouteUrl } from './route-url.ts';

const MAX_AGE_SECONDS = 300;

/**
 * `GET /.well-known/oauth-authorization-server` (RFC 8414), so that stock clients find the endpoints. There
 * is no authorization endpoint, and so no response type: this is a first-party login.
 */
export function getMetadata(issuer: string, routeUrl: RouteUrl): Route {
  return {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    operationId: 'getMetadata',
    summary: 'Where the endpoints are',
    answers: {
      200: {
        description: 'Authorization server metadata.',
        schema: v.record(v.string(), v.unknown()),
      },
    },
    errors: [],
    handle: (request) =>
      publicJsonResponse(
        {
          issuer,
          token_endpoint: routeUrl(request, '/token'),
          revocation_endpoint: routeUrl(request, '/token/revoke'),
          jwks_uri: routeUrl(request, '/.well-known/jwks.json'),
          scopes_supported: SCOPES,
          response_types_supported: [],
          grant_types_supported: ['password', 'refresh_token'],
          token_endpoint_auth_methods_supported: ['none'],
          revocation_endpoint_auth_methods_supported: ['none'],
        },
        MAX_AGE_SECONDS,
      ),
  };
}

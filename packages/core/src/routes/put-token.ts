import { clientOfRequest } from '../client-info/client-info.ts';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import type { RefreshGrant } from '../grants/refresh-grant.ts';
import { defineRoute } from './define-route.ts';
import { grantBody } from './post-token.ts';
import type { Route } from './route.ts';
import type { RouteUrl } from './route-url.ts';
import { withTokenFromCookie } from './token-body.ts';
import { tokenResponse } from './token-responses.ts';
import { putTokenFields, type TokenSchemas, versionQuery } from './token-schemas.ts';

/** Since when `PUT /token` is deprecated, and when it is removed. */
export interface Deprecation {
  /** Sent to clients in the header `Deprecation` (RFC 9745); may be in the future. */
  readonly since: Date;
  /** Sent to clients in the header `Sunset` (RFC 8594); not before `since`. Default: not sent. */
  readonly sunset?: Date;
}

/** `PUT /token`: the refresh grant under its old name. */
export function putToken(
  refreshGrant: RefreshGrant,
  { since, sunset }: Deprecation,
  reference: RouteUrl,
  { tokenAnswer, tokenOrCookieAnswer }: TokenSchemas,
  cookies?: SessionCookies,
): Route {
  const headers = {
    // RFC 9745 2.1, RFC 8594 3
    deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    ...(sunset === undefined ? {} : { sunset: sunset.toUTCString() }),
  };
  return defineRoute({
    method: 'PUT',
    path: '/token',
    operationId: 'refreshTokenDeprecated',
    summary: 'Refresh (use POST /token)',
    deprecated: true,
    query: versionQuery('v1'),
    body: withTokenFromCookie(
      'refresh_token',
      grantBody({ refresh_token: putTokenFields }),
      cookies,
    ),
    answers: {
      200: {
        description: 'The tokens, in the representation of `version`.',
        schema: cookies === undefined ? tokenAnswer : tokenOrCookieAnswer,
      },
    },
    errors: ['unsupported_grant_type', 'invalid_scope', 'invalid_grant', 'too_many_requests'],
    answerHeaderTexts: {
      Deprecation: 'The time of the deprecation: `@` and seconds since 1970 (RFC 9745).',
      ...(sunset === undefined ? {} : { Sunset: 'When the endpoint is removed (RFC 8594).' }),
      Link: 'The endpoint to use instead, as `successor-version` (RFC 8288).',
    },
    answerHeaders: (request) => ({
      ...headers,
      // The successor has the same path, by POST.
      link: `<${uriReference(reference(request, request.path))}>; rel="successor-version"`,
    }),

    async handle({ query: { version }, body }, request) {
      const requestedCookies = cookies?.requestedBy(request);
      const tokens = await refreshGrant({
        refreshToken: body.refresh_token,
        accountId: null,
        scopes: undefined,
        expirationSeconds: body.expiration_seconds,
        client: clientOfRequest(request),
        maxTokenChars: requestedCookies?.maxTokenChars,
      });
      return tokenResponse(tokens, version, requestedCookies);
    },
  });
}

/** The path is percent-encoded as received, except for characters that would end the reference (RFC 8288 3). */
function uriReference(path: string): string {
  return path.replace(/[<>"\s]/g, encodeURIComponent);
}

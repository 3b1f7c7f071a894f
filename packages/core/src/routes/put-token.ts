import type { RefreshGrant } from '../grants/refresh-grant.ts';
import { parseBody, readBody } from '../http/read-body.ts';
import { readQuery } from '../http/read-query.ts';
import { readGrantType } from './grant-type.ts';
import { requestOrigin } from './request-origin.ts';
import type { Route } from './route.ts';
import { tokenResponse } from './token-responses.ts';
import { putTokenFields, tokenAnswer, versionQuery } from './token-schemas.ts';

const FORMATS = ['json', 'form'] as const;
const GRANTS = ['refresh_token'] as const;
const query = versionQuery('v1');

/** Since when `PUT /token` is deprecated, and when it goes. */
export interface Deprecation {
  readonly since: Date;
  readonly sunset?: Date;
}

/** `PUT /token`: the refresh grant under its old name. */
export function putToken(refreshGrant: RefreshGrant, deprecation: Deprecation): Route {
  const { since, sunset } = deprecation;
  const headers = {
    // RFC 9745 2.1, RFC 8594 3
    deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    ...(sunset === undefined ? {} : { sunset: sunset.toUTCString() }),
  };
  return {
    method: 'PUT',
    path: '/token',
    operationId: 'refreshToken',
    summary: 'Refresh (use POST /token)',
    deprecated: true,
    query,
    body: { schemas: [putTokenFields], formats: FORMATS },
    answers: {
      200: { description: 'The tokens, in the representation of `version`.', schema: tokenAnswer },
    },
    errors: ['unsupported_grant_type', 'invalid_scope', 'invalid_grant', 'too_many_requests'],
    answerHeaders: ({ mountPath }) => ({
      ...headers,
      link: `<${uriReference(mountPath)}/token>; rel="successor-version"`,
    }),

    async handle(request) {
      const { version } = readQuery(query, request.query);
      const body = readBody(request, FORMATS);
      readGrantType(body, GRANTS);
      const fields = parseBody(putTokenFields, body);
      const tokens = await refreshGrant({
        refreshToken: fields.refresh_token,
        accountId: null,
        scopes: undefined,
        expirationSeconds: fields.expiration_seconds,
        origin: requestOrigin(request),
      });
      return tokenResponse(tokens, version);
    },
  };
}

/** The mount path as it came is percent-encoded already, but for what would end the reference (RFC 8288 3). */
function uriReference(path: string): string {
  return path.replace(/[<>"\s]/g, encodeURIComponent);
}

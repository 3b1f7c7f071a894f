import type * as v from 'valibot';
import { clientOfRequest } from '../client-info/client-info.ts';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import { AuthError, malformedFields } from '../errors.ts';
import type { PasswordGrant } from '../grants/password-grant.ts';
import type { RefreshGrant, RefreshGrantRequest } from '../grants/refresh-grant.ts';
import type { AuthResponse } from '../http/messages.ts';
import { parseBody } from '../http/read-fields.ts';
import { checkPassword } from '../passwords/password-text.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import { requestedScopes, type ScopeTable } from '../scopes/scope-table.ts';
import { defineRoute } from './define-route.ts';
import type { Route, RouteBody } from './route.ts';
import { TOKEN_FORMATS, withTokenFromCookie } from './token-body.ts';
import { loginResponse, tokenResponse } from './token-responses.ts';
import {
  challengeAnswer,
  GRANT_TYPES,
  grantTypeField,
  type TokenSchemas,
  type Version,
  versionQuery,
} from './token-schemas.ts';

type GrantType = (typeof GRANT_TYPES)[number];

/** The fields of a request, by its grant type. */
type GrantFields = {
  readonly [Type in GrantType]: v.InferOutput<TokenSchemas['grants'][Type]>;
};

/** What both grants need to know of a request, in addition to its fields. */
interface GrantContext {
  readonly version: Version;
  readonly requestedCookies: SessionCookies | undefined;
  /** The client that sends the request, and the longest token that it can keep. */
  readonly clientFields: Pick<RefreshGrantRequest, 'client' | 'maxTokenChars'>;
}

/** Responds to a request, by its grant type. */
type GrantHandlers = {
  readonly [Type in GrantType]: (
    fields: GrantFields[Type],
    context: GrantContext,
  ) => Promise<AuthResponse>;
};

const [DEFAULT_GRANT_TYPE] = GRANT_TYPES;

/** `POST /token`: login by password, or refresh. */
export function postToken(
  passwordGrant: PasswordGrant,
  refreshGrant: RefreshGrant,
  scopeTable: ScopeTable,
  { grants, tokenAnswer, tokenOrCookieAnswer }: TokenSchemas,
  cookies?: SessionCookies,
): Route {
  const handlers: GrantHandlers = {
    async password(fields, { version, requestedCookies, clientFields }) {
      // Before look-up and hashing, so that the response is the same for every user.
      const check = checkPassword(fields.password);
      if (check.outcome === 'rejected') {
        throw malformedFields([{ field: 'password', message: check.message }]);
      }
      const login = await passwordGrant({
        username: fields.username,
        password: fields.password,
        accountId: fields.account_id ?? null,
        scopes: requestedScopes(fields, scopeTable) ?? ['user'],
        expirationSeconds: fields.expiration_seconds,
        version,
        ...clientFields,
      });
      return loginResponse(login, version, requestedCookies);
    },
    async refresh_token(fields, { version, requestedCookies, clientFields }) {
      const tokens = await refreshGrant({
        refreshToken: fields.refresh_token,
        accountId: fields.account_id ?? null,
        scopes: requestedScopes(fields, scopeTable),
        expirationSeconds: fields.expiration_seconds,
        ...clientFields,
      });
      return tokenResponse(tokens, version, requestedCookies);
    },
  };

  return defineRoute({
    method: 'POST',
    path: '/token',
    operationId: 'issueToken',
    summary: 'Log in by password, or refresh',
    query: versionQuery('v2'),
    body: withTokenFromCookie('refresh_token', grantBody(grants), cookies),
    answers: {
      200: {
        description: 'The tokens, in the representation of `version`.',
        schema: cookies === undefined ? tokenAnswer : tokenOrCookieAnswer,
      },
      401: { description: 'A second factor is needed.', schema: challengeAnswer },
    },
    errors: [
      'unsupported_grant_type',
      'invalid_scope',
      'invalid_grant',
      'access_denied',
      'too_many_requests',
    ],

    async handle({ query: { version }, body }, request) {
      const requestedCookies = cookies?.requestedBy(request);
      const clientFields = {
        client: clientOfRequest(request),
        maxTokenChars: requestedCookies?.maxTokenChars,
      };
      const context = { version, requestedCookies, clientFields };
      return handleGrant(body.grant_type ?? DEFAULT_GRANT_TYPE, body, context);
    },
  });

  /** A separate function because TypeScript relates the fields to their handler only by a type parameter. */
  function handleGrant<Type extends GrantType>(
    grantType: Type,
    fields: GrantFields[Type],
    context: GrantContext,
  ): Promise<AuthResponse> {
    return handlers[grantType](fields, context);
  }
}

/**
 * The body of a token endpoint, with different fields for each `grant_type`. The `grant_type` is read first: an unknown
 * one is rejected with `unsupported_grant_type`, regardless of the other fields. If it is missing, the first of
 * `grants` applies.
 */
export function grantBody<TSchema extends FieldsSchema>(
  grants: Readonly<Record<string, TSchema>>,
): RouteBody<TSchema> {
  const schemas = new Map(Object.entries(grants));
  const [defaultGrantType = ''] = schemas.keys();
  return {
    formats: TOKEN_FORMATS,
    schemas: [...schemas.values()],
    selectSchema(body) {
      const { grant_type: grantType = defaultGrantType } = parseBody(grantTypeField, body);
      const schema = schemas.get(grantType);
      if (schema !== undefined) return schema;
      throw new AuthError('unsupported_grant_type', 'This grant type is not supported.');
    },
  };
}

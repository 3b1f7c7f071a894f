import type { AuthErrorCode } from '../errors.ts';
import { errorStatus } from '../http/error-response.ts';
import { paramNames } from '../http/path-pattern.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { describeHeaders, SHARED_HEADERS } from './describe-headers.ts';
import { describeScopes } from './describe-scopes.ts';
import { createJsonSchemas, type JsonSchemas } from './json-schema.ts';
import type { Route, RouteBody } from './route.ts';
import { groupOf, groupsOf } from './route-groups.ts';
import { describeDeliveries, type PublishedEvents } from './webhooks/describe-deliveries.ts';

/** The errors of every route, in addition to its own. */
const COMMON_ERRORS: readonly AuthErrorCode[] = [
  'method_not_allowed',
  'temporarily_unavailable',
  'server_error',
];

/** Further errors of a route that authenticates the request. */
const AUTH_ERRORS: readonly AuthErrorCode[] = ['invalid_token', 'insufficient_scope'];

/** Further errors of a route that reads a body, if only to check that it has no fields. */
const BODY_ERRORS: readonly AuthErrorCode[] = [
  'invalid_request',
  'body_timeout',
  'body_too_large',
  'unsupported_media_type',
];

const MEDIA_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
} as const;

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string' },
    error_description: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
    attempts_remaining: { type: 'integer', minimum: 0 },
  },
};

/** The names of the security schemes. */
const BEARER = 'bearer';
const COOKIE = 'cookie';

const ERROR_REF = { $ref: '#/components/schemas/Error' };

/** Returns the description for the URL at which the routes are mounted. */
export type Description = (serverUrl: string) => object;

/** What the description depends on, in addition to the routes. */
export interface DescriptionContext {
  readonly scopeTable: ScopeTable;
  /** What receivers of webhooks get; absent: there are no webhooks. */
  readonly published?: PublishedEvents | undefined;
  /** The cookie that may replace a bearer token; absent: there is none. */
  readonly accessCookie?: string | undefined;
}

/** The OpenAPI 3.1 description of routes, from the schemas that read their requests. */
export function describeRoutes(
  routes: readonly Route[],
  { scopeTable, published, accessCookie }: DescriptionContext,
): Description {
  const schemas = createJsonSchemas();
  const schemes = securitySchemes(scopeTable, accessCookie);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const described = operation(route, schemas, Object.keys(schemes));
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described };
  }
  const groups = groupsOf(Object.keys(paths));
  const info = {
    title: 'Latchhook',
    version: '1',
    description: groups.map(({ description }) => description).join(' '),
  };
  const tags = groups.map(({ tag, description }) => ({ name: tag, description }));
  const deliveries = published && describeDeliveries(published, schemas);
  const components = {
    schemas: { Error: ERROR_SCHEMA, ...schemas.components },
    headers: SHARED_HEADERS,
    securitySchemes: schemes,
    ...deliveries?.components,
  };
  return (serverUrl) => ({
    openapi: '3.1.0',
    info,
    servers: [{ url: serverUrl }],
    tags,
    paths,
    ...(deliveries === undefined ? {} : { webhooks: deliveries.webhooks }),
    components,
  });
}

function securitySchemes(
  scopeTable: ScopeTable,
  accessCookie: string | undefined,
): Readonly<Record<string, object>> {
  return {
    [BEARER]: { type: 'http', scheme: 'bearer', ...describeScopes(scopeTable) },
    ...(accessCookie === undefined
      ? {}
      : {
          [COOKIE]: {
            type: 'apiKey',
            in: 'cookie',
            name: accessCookie,
            description:
              'Set by a login with the header `Latchhook-Session: cookie`. Requests that change something need that header too, and must come from a page of the app.',
          },
        }),
  };
}

function operation(route: Route, schemas: JsonSchemas, schemes: readonly string[]): object {
  const { path, operationId, summary, deprecated, auth, body } = route;
  const parameters = [...pathParameters(route), ...queryParameters(route, schemas)];
  const group = groupOf(path);
  return {
    operationId,
    summary,
    ...(group === undefined ? {} : { tags: [group.tag] }),
    ...(deprecated ? { deprecated } : {}),
    // OpenAPI 3.1: the inner list names scopes that the scheme itself does not define. An empty outer list means that
    // no credential is needed; without a list, that would be unspecified.
    security: auth === undefined ? [] : schemes.map((scheme) => ({ [scheme]: [auth.scope] })),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body, schemas) }),
    responses: responses(route, schemas, schemes.includes(COOKIE)),
  };
}

function pathParameters({ path }: Route): object[] {
  return paramNames(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route, schemas: JsonSchemas): object[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(query);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function requestBody(body: RouteBody, schemas: JsonSchemas): object {
  const { formats, describedSchemas = body.schemas } = body;
  const { describedFormSchemas = describedSchemas } = body;
  const content = formats.map((format) => {
    const formatSchemas = format === 'form' ? describedFormSchemas : describedSchemas;
    const schema = anyOf(formatSchemas.map(schemas.of));
    return [MEDIA_TYPES[format], { schema }];
  });
  return { required: true, content: Object.fromEntries(content) };
}

/** A status can have an answer and errors: at `POST /token`, 401 is a challenge; elsewhere, a bad bearer token. */
function responses(route: Route, schemas: JsonSchemas, byCookie: boolean): object {
  const errors = errorsByStatus(route, byCookie);
  const statuses = new Set([...Object.keys(route.answers).map(Number), ...errors.keys()]);
  return Object.fromEntries(
    [...statuses].map((status) => {
      const headers = describeHeaders(route, status, { byCookie });
      return [status, response(route, status, errors.get(status) ?? [], { schemas, headers })];
    }),
  );
}

function response(
  route: Route,
  status: number,
  errors: readonly string[],
  { schemas, headers }: { readonly schemas: JsonSchemas; readonly headers: object },
): object {
  const answer = route.answers[status];
  const bodies = [
    ...(answer?.schema === undefined ? [] : [schemas.of(answer.schema)]),
    ...(errors.length === 0 ? [] : [ERROR_REF]),
  ];
  return {
    description: [answer?.description, errors.join(', ')].filter(Boolean).join(' Or: '),
    headers,
    ...(bodies.length === 0 ? {} : { content: { [MEDIA_TYPES.json]: { schema: anyOf(bodies) } } }),
  };
}

function errorsByStatus(route: Route, byCookie: boolean): Map<number, readonly string[]> {
  const { method, errors = [], auth, path, query, body } = route;
  const readsBody = body !== undefined || method === 'POST';
  const codes: readonly AuthErrorCode[] = [
    ...errors,
    ...(auth ? AUTH_ERRORS : []),
    // For another kind of credential than the one that the route accepts.
    ...only('access_denied', auth?.credential !== undefined),
    ...only('not_found', paramNames(path).length > 0),
    ...only('invalid_request', query !== undefined),
    ...(readsBody ? BODY_ERRORS : []),
    // For a request with cookies that is malformed, or comes from a foreign page.
    ...only('invalid_request', byCookie),
    ...only('access_denied', byCookie && method !== 'GET'),
    ...COMMON_ERRORS,
  ];
  const names = new Map<number, readonly string[]>();
  for (const { status, error } of codes.map(errorStatus)) {
    const namesOfStatus = names.get(status) ?? [];
    if (!namesOfStatus.includes(error)) names.set(status, [...namesOfStatus, error]);
  }
  return names;
}

function only(code: AuthErrorCode, applies: boolean): readonly AuthErrorCode[] {
  return applies ? [code] : [];
}

function anyOf(schemas: readonly object[]): object {
  const [first = {}, ...others] = schemas;
  return others.length === 0 ? first : { anyOf: schemas };
}

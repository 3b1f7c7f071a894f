import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { AuthErrorCode } from '../errors.ts';
import { errorStatus } from '../http/error-response.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import type { Route } from './route.ts';

/** What every route may answer, beside its own errors. */
const COMMON_ERRORS: readonly AuthErrorCode[] = [
  'method_not_allowed',
  'temporarily_unavailable',
  'server_error',
];

/** What every route that reads a body may answer besides. */
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

/** The OpenAPI 3.1 description of routes, from the schemas by which they validate. */
export function describeRoutes(routes: readonly Route[], serverUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchhook',
      version: '1',
      description: 'A first-party login: tokens by password, refresh and MFA challenge.',
    },
    servers: [{ url: serverUrl }],
    paths,
    components: { schemas: { Error: ERROR_SCHEMA } },
  };
}

function operation(route: Route): object {
  const { operationId, summary, deprecated, query, body } = route;
  return {
    operationId,
    summary,
    ...(deprecated ? { deprecated } : {}),
    ...(query === undefined ? {} : { parameters: queryParameters(query) }),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: { ...errors(route), ...answers(route) },
  };
}

function queryParameters(query: FieldsSchema): object[] {
  return Object.entries(query.entries).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: jsonSchema(schema),
  }));
}

function requestBody({ schemas, formats }: NonNullable<Route['body']>): object {
  const described = schemas.map(jsonSchema);
  const schema = described.length === 1 ? described[0] : { anyOf: described };
  return {
    required: true,
    content: Object.fromEntries(formats.map((format) => [MEDIA_TYPES[format], { schema }])),
  };
}

function answers(route: Route): object {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, { description, schema }]) => [
      status,
      {
        description,
        ...(schema === undefined
          ? {}
          : { content: { [MEDIA_TYPES.json]: { schema: jsonSchema(schema) } } }),
      },
    ]),
  );
}

function errors(route: Route): object {
  const codes = [...route.errors, ...(route.body ? BODY_ERRORS : []), ...COMMON_ERRORS];
  const names = new Map<number, Set<string>>();
  for (const { status, error } of codes.map(errorStatus)) {
    names.set(status, (names.get(status) ?? new Set()).add(error));
  }
  return Object.fromEntries(
    [...names].map(([status, sharing]) => [
      status,
      {
        description: [...sharing].join(', '),
        content: { [MEDIA_TYPES.json]: { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

/** What JSON Schema cannot say (a check by a function, a normalisation) is left out; its prose stays. */
function jsonSchema(schema: v.GenericSchema): object {
  const { $schema, ...described } = toJsonSchema(schema, {
    errorMode: 'ignore',
    typeMode: 'input',
  });
  return described;
}

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { jsonResponse } from '../http/json-response.ts';
import { toJsonSchema } from '../loading/dependencies.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { defineRoute } from './define-route.ts';
import { describeRoutes } from './describe-routes.ts';
import type { Route } from './route.ts';
import { tokenBodyOrForm } from './token-body.ts';

const ERROR = { $ref: '#/components/schemas/Error' };

const plain = {
  method: 'PATCH',
  path: '/things',
  operationId: 'changeThing',
  summary: 'Change it',
  answers: { 200: { description: 'Changed.', schema: v.strictObject({ id: v.string() }) } },
  handle: () => jsonResponse(200, {}),
} as const;

/** The part of an operation that the tests look at. */
interface Operation {
  readonly parameters?: unknown;
  readonly requestBody?: unknown;
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: unknown }>
  >;
}

await toJsonSchema.load();

function describeRoute(route: Route): Operation {
  const document = describeRoutes([route], { scopeTable: builtInScopes })(
    'https://api.example.com',
  );
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const operation = paths[route.path]?.[route.method.toLowerCase()];
  if (operation === undefined) throw new Error('not described');
  return operation;
}

describe('the OpenAPI operation of a route', () => {
  it('has the responses of the route and the errors of all routes', () => {
    const { responses } = describeRoute(defineRoute(plain));
    expect(Object.keys(responses)).toEqual(['200', '405', '500', '503']);
    expect(responses['200']).toMatchObject({
      description: 'Changed.',
      content: { 'application/json': { schema: { type: 'object', required: ['id'] } } },
    });
    expect(responses['503']).toMatchObject({
      description: 'temporarily_unavailable',
      content: { 'application/json': { schema: ERROR } },
    });
  });

  it('has no content for a response without a schema', () => {
    const { responses } = describeRoute(
      defineRoute({ ...plain, answers: { 204: { description: 'Gone.' } } }),
    );
    expect(responses['204']).toMatchObject({ description: 'Gone.' });
    expect(responses['204']).not.toHaveProperty('content');
  });

  it('combines a response and an error of the same status', () => {
    const answers = {
      401: { description: 'A challenge.', schema: v.strictObject({ challenge: v.string() }) },
    };
    const { responses } = describeRoute(
      defineRoute({ ...plain, answers, errors: ['invalid_token', 'invalid_scope'] }),
    );
    expect(responses['401']).toMatchObject({
      description: 'A challenge. Or: invalid_token',
      content: {
        'application/json': {
          schema: {
            anyOf: [
              {
                type: 'object',
                properties: { challenge: { type: 'string' } },
                required: ['challenge'],
                additionalProperties: false,
              },
              ERROR,
            ],
          },
        },
      },
    });
  });

  it('names a repeated error once', () => {
    const { responses } = describeRoute(
      defineRoute({ ...plain, errors: ['invalid_grant', 'invalid_scope', 'invalid_grant'] }),
    );
    expect(responses['400']?.description).toBe('invalid_grant, invalid_scope');
  });

  it('marks each query parameter as required or not', () => {
    const query = v.object({
      since: v.string(),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 20),
    });
    const { parameters, responses } = describeRoute(defineRoute({ ...plain, query }));
    expect(parameters).toEqual([
      { name: 'since', in: 'query', required: true, schema: { type: 'string' } },
      {
        name: 'limit',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, default: 20 },
      },
    ]);
    expect(responses['400']?.description).toBe('invalid_request');
  });

  it('has one schema per kind of body in each format', () => {
    const [schemaA, schemaB] = [v.object({ a: v.string() }), v.strictObject({ b: v.string() })];
    const body = {
      formats: ['json', 'form'],
      schemas: [schemaA, schemaB],
      selectSchema: () => schemaA,
    } as const;
    const { requestBody, responses } = describeRoute(defineRoute({ ...plain, body }));
    const schema = {
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        {
          type: 'object',
          properties: { b: { type: 'string' } },
          required: ['b'],
          additionalProperties: false,
        },
      ],
    };
    expect(requestBody).toEqual({
      required: true,
      content: {
        'application/json': { schema },
        'application/x-www-form-urlencoded': { schema },
      },
    });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '408', '413', '415']));
  });

  it('has a separate schema for a form that is parsed by another schema', () => {
    const [json, form] = [v.object({ a: v.array(v.string()) }), v.object({ a: v.string() })];
    const body = tokenBodyOrForm(json, form);
    expect(describeRoute(defineRoute({ ...plain, body })).requestBody).toMatchObject({
      content: {
        'application/json': { schema: { properties: { a: { type: 'array' } } } },
        'application/x-www-form-urlencoded': { schema: { properties: { a: { type: 'string' } } } },
      },
    });
  });
});

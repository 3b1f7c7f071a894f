import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AnyAuthInfo } from '../bearer/auth-info.ts';
import { AuthError } from '../errors.ts';
import type { RouteContext } from '../http/dispatch.ts';
import { jsonResponse } from '../http/json-response.ts';
import type { RequestBody } from '../http/messages.ts';
import { plainRequest } from '../http/plain-request.test.support.ts';
import { defineRoute } from './define-route.ts';
import type { Route } from './route.ts';

const plain = {
  method: 'POST',
  path: '/things',
  operationId: 'makeThing',
  summary: 'Make one',
  answers: { 200: { description: 'Made.' } },
} as const;

const NOBODY: RouteContext = { params: {}, auth: undefined, assertCredentialValid: async () => {} };

const query = v.object({ limit: v.optional(v.number('must be an integer'), 20) });
const small = v.object({ kind: v.literal('small') });
const large = v.object({ kind: v.literal('large'), size: v.number('must be an integer') });
const body = {
  formats: ['json'],
  schemas: [small, large],
  selectSchema: ({ fields }: { fields: Readonly<Record<string, unknown>> }) =>
    fields['kind'] === 'large' ? large : small,
} as const;

const createThing = defineRoute({
  ...plain,
  query,
  body,
  handle(input) {
    expectTypeOf(input).toEqualTypeOf<{
      readonly auth: undefined;
      readonly params: undefined;
      readonly query: { limit: number };
      readonly body: { kind: 'small' } | { kind: 'large'; size: number };
    }>();
    return jsonResponse(200, input);
  },
});

/** Returns the response's JSON, or the rejected fields, or the code of the rejection. */
async function send(
  route: Route,
  json: string,
  queryString = '',
  context: RouteContext = NOBODY,
): Promise<unknown> {
  const request = plainRequest({
    method: 'POST',
    query: queryString,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'raw', bytes: Buffer.from(json) },
  });
  try {
    return JSON.parse((await route.handle(request, context)).body);
  } catch (error) {
    return error instanceof AuthError ? (error.details.fields ?? error.code) : error;
  }
}

describe('a route', () => {
  it('passes query and body to its handler, parsed by the schema that fits the body', async () => {
    expect(await send(createThing, '{"kind":"small","size":1}')).toEqual({
      query: { limit: 20 },
      body: { kind: 'small' },
    });
    expect(await send(createThing, '{"kind":"large","size":1}', 'limit=3')).toEqual({
      query: { limit: 3 },
      body: { kind: 'large', size: 1 },
    });
  });

  it('rejects an invalid query, then an invalid body, before its handler is called', async () => {
    expect(await send(createThing, '{"kind":"large"}')).toEqual([
      { field: 'size', message: 'is required' },
    ]);
    expect(await send(createThing, '{"kind":"large"}', 'limit=x')).toEqual([
      { field: 'limit', message: 'must be an integer' },
    ]);
  });

  it('passes no query and no body if it declares none, and ignores the query', async () => {
    const route = defineRoute({
      ...plain,
      handle(input) {
        expectTypeOf(input).toEqualTypeOf<{
          readonly auth: undefined;
          readonly params: undefined;
          readonly query: undefined;
          readonly body: undefined;
        }>();
        return jsonResponse(200, { input });
      },
    });
    expect(await send(route, '{}', 'limit=x')).toEqual({ input: {} });
  });

  it('rejects a body with fields if it declares no body', async () => {
    const route = defineRoute({ ...plain, handle: (input) => jsonResponse(200, { input }) });
    expect(await send(route, '{"secret":"x"}')).toEqual([
      { field: 'secret', message: 'is unknown' },
    ]);
    expect(await send(route, 'no JSON')).toBe('invalid_request');
    expect(await send(route, '[1]')).toBe('invalid_request');
  });

  it.each<RequestBody>([
    { kind: 'none' },
    { kind: 'raw', bytes: Buffer.from('') },
    { kind: 'raw', bytes: Buffer.from('null') },
    { kind: 'raw', bytes: Buffer.from('[]') },
    { kind: 'parsed', value: {} },
    { kind: 'parsed', value: null },
    { kind: 'parsed', value: '' },
    { kind: 'unreadable', reason: 'consumed' },
  ])('accepts %j as a body without fields, whatever the content type', async (empty) => {
    const route = defineRoute({ ...plain, handle: (input) => jsonResponse(200, { input }) });
    const request = plainRequest({ body: empty, headers: { 'content-type': 'text/plain' } });
    expect((await route.handle(request, NOBODY)).status).toBe(200);
  });
});

describe('a route with path parameters and authorization', () => {
  const repairPart = defineRoute({
    ...plain,
    path: '/things/{id}/parts/{part}',
    auth: { scope: 'user' },
    query,
    handle(input) {
      expectTypeOf(input).toEqualTypeOf<{
        readonly auth: AnyAuthInfo;
        readonly params: { readonly id: string; readonly part: string };
        readonly query: { limit: number };
        readonly body: undefined;
      }>();
      return jsonResponse(200, { user: input.auth.userId, params: input.params });
    },
  });
  const ADA = { userId: 'ada' } as AnyAuthInfo;
  const contextOf = (part: string): RouteContext => ({
    ...NOBODY,
    params: { id: 'a_B-9', part },
    auth: ADA,
  });

  it('passes the AuthInfo and the path parameters to its handler', async () => {
    expect(await send(repairPart, '{}', '', contextOf('p'))).toEqual({
      user: 'ada',
      params: { id: 'a_B-9', part: 'p' },
    });
    expect(await send(repairPart, '{}', '', contextOf('p'.repeat(128)))).toMatchObject({
      user: 'ada',
    });
  });

  it.each(['p'.repeat(129), '..', '%61', 'a b', 'a:b', 'a{b}', 'é', 'a\n', '*', '.', 'a+b', "'"])(
    'rejects the malformed id %j with not_found',
    async (part) => {
      expect(await send(repairPart, '{}', '', contextOf(part))).toBe('not_found');
    },
  );

  it('rejects an invalid query before a malformed id', async () => {
    expect(await send(repairPart, '{}', 'limit=x', contextOf('..'))).toMatchObject([
      { field: 'limit' },
    ]);
  });
});

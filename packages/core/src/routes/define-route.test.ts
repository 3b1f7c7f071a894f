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
  errors: [],
} as const;

const NOBODY: RouteContext = { params: {}, auth: undefined, assertCredentialValid: async () => {} };

const query = v.object({ limit: v.optional(v.number('must be an integer'), 20) });
const small = v.object({ kind: v.literal('small') });
const large = v.object({ kind: v.literal('large'), size: v.number('must be an integer') });
const body = {
  formats: ['json'],
  schemas: [small, large],
  pick: ({ fields }: { fields: Readonly<Record<string, unknown>> }) =>
    fields['kind'] === 'large' ? large : small,
} as const;

const making = defineRoute({
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

async function ask(
  route: Route,
  sent: string,
  asked = '',
  context: RouteContext = NOBODY,
): Promise<unknown> {
  const request = plainRequest({
    method: 'POST',
    query: asked,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'raw', bytes: Buffer.from(sent) },
  });
  try {
    return JSON.parse((await route.handle(request, context)).body);
  } catch (error) {
    return error instanceof AuthError ? (error.details.fields ?? error.code) : error;
  }
}

describe('a route', () => {
  it('passes query and body to its handler, parsed by the schema that fits the body', async () => {
    expect(await ask(making, '{"kind":"small","size":1}')).toEqual({
      query: { limit: 20 },
      body: { kind: 'small' },
    });
    expect(await ask(making, '{"kind":"large","size":1}', 'limit=3')).toEqual({
      query: { limit: 3 },
      body: { kind: 'large', size: 1 },
    });
  });

  it('rejects an invalid query, then an invalid body, before its handler is called', async () => {
    expect(await ask(making, '{"kind":"large"}')).toEqual([
      { field: 'size', message: 'is required' },
    ]);
    expect(await ask(making, '{"kind":"large"}', 'limit=x')).toEqual([
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
    expect(await ask(route, '{}', 'limit=x')).toEqual({ input: {} });
  });

  it('rejects a body with fields if it declares no body', async () => {
    const route = defineRoute({ ...plain, handle: (input) => jsonResponse(200, { input }) });
    expect(await ask(route, '{"secret":"x"}')).toEqual([
      { field: 'secret', message: 'is unknown' },
    ]);
    expect(await ask(route, 'no JSON')).toBe('invalid_request');
    expect(await ask(route, '[1]')).toBe('invalid_request');
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
  const mending = defineRoute({
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
      return jsonResponse(200, { whose: input.auth.userId, params: input.params });
    },
  });
  const ADA = { userId: 'ada' } as AnyAuthInfo;
  const at = (part: string): RouteContext => ({
    ...NOBODY,
    params: { id: 'a_B-9', part },
    auth: ADA,
  });

  it('passes the AuthInfo and the path parameters to its handler', async () => {
    expect(await ask(mending, '{}', '', at('p'))).toEqual({
      whose: 'ada',
      params: { id: 'a_B-9', part: 'p' },
    });
    expect(await ask(mending, '{}', '', at('p'.repeat(128)))).toMatchObject({ whose: 'ada' });
  });

  it.each(['p'.repeat(129), '..', '%61', 'a b', 'a:b', 'a{b}', 'é', 'a\n', '*', '.', 'a+b', "'"])(
    'rejects the malformed id %j with not_found',
    async (part) => {
      expect(await ask(mending, '{}', '', at(part))).toBe('not_found');
    },
  );

  it('rejects an invalid query before a malformed id', async () => {
    expect(await ask(mending, '{}', 'limit=x', at('..'))).toMatchObject([{ field: 'limit' }]);
  });
});

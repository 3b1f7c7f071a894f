import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { jsonResponse } from '../http/json-response.ts';
import type { AuthRequest } from '../http/messages.ts';
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
      readonly query: { limit: number };
      readonly body: { kind: 'small' } | { kind: 'large'; size: number };
    }>();
    return jsonResponse(200, input);
  },
});

async function ask(route: Route, sent: string, asked = ''): Promise<unknown> {
  const request: AuthRequest = {
    method: 'POST',
    path: '/things',
    mountPath: '',
    query: asked,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'raw', bytes: Buffer.from(sent) },
    remoteAddress: undefined,
  };
  try {
    return JSON.parse((await route.handle(request)).body);
  } catch (error) {
    return error instanceof AuthError ? error.details.fields : error;
  }
}

describe('a route', () => {
  it('hands over its query and body as declared, by the schema that fits the body', async () => {
    expect(await ask(making, '{"kind":"small","size":1}')).toEqual({
      query: { limit: 20 },
      body: { kind: 'small' },
    });
    expect(await ask(making, '{"kind":"large","size":1}', 'limit=3')).toEqual({
      query: { limit: 3 },
      body: { kind: 'large', size: 1 },
    });
  });

  it('refuses what is not as declared, before its handler is called: the query first', async () => {
    expect(await ask(making, '{"kind":"large"}')).toEqual([
      { field: 'size', message: 'is required' },
    ]);
    expect(await ask(making, '{"kind":"large"}', 'limit=x')).toEqual([
      { field: 'limit', message: 'must be an integer' },
    ]);
  });

  it('looks at neither where it declares neither', async () => {
    const route = defineRoute({
      ...plain,
      handle(input) {
        expectTypeOf(input).toEqualTypeOf<{
          readonly query: undefined;
          readonly body: undefined;
        }>();
        return jsonResponse(200, { input });
      },
    });
    expect(await ask(route, 'no JSON', 'limit=x')).toEqual({ input: {} });
  });
});

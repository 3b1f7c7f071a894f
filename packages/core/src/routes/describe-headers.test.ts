import { describe, expect, it } from 'vitest';
import { jsonResponse } from '../http/json-response.ts';
import { defineRoute } from './define-route.ts';
import { describeHeaders, SHARED_HEADERS } from './describe-headers.ts';

const plain = {
  method: 'POST',
  path: '/things',
  operationId: 'makeThing',
  summary: 'Make one',
  answers: { 201: { description: 'Made.', headers: { Location: 'Where it is.' } } },
  handle: () => jsonResponse(201, {}),
} as const;

const openRoute = defineRoute(plain);
const guardedRoute = defineRoute({ ...plain, auth: { scope: 'user' } });

const names = (headers: object) => Object.keys(headers);

describe('the documented headers of a response', () => {
  it.each([200, 400, 401, 500])(
    'include a Cache-Control that forbids storing, at status %d',
    (status) => {
      expect(describeHeaders(openRoute, status)).toEqual({
        'Cache-Control': { $ref: '#/components/headers/Cache-Control' },
      });
    },
  );

  it('include a public Cache-Control for a response with maxAgeSeconds', () => {
    const answers = { 200: { description: 'Known.', maxAgeSeconds: 300 } };
    expect(describeHeaders(defineRoute({ ...plain, answers }), 200)).toMatchObject({
      'Cache-Control': { required: true, schema: { const: 'public, max-age=300' } },
    });
  });

  it.each([
    ['Allow', 405],
    ['Retry-After', 429],
    ['Retry-After', 503],
  ] as const)('include %s at status %d', (name, status) => {
    expect(names(describeHeaders(openRoute, status))).toEqual(['Cache-Control', name]);
  });

  it.each([401, 403])(
    'include WWW-Authenticate at status %d if the route requires authorization',
    (status) => {
      expect(names(describeHeaders(guardedRoute, status))).toContain('WWW-Authenticate');
      expect(names(describeHeaders(openRoute, status))).not.toContain('WWW-Authenticate');
      expect(names(describeHeaders(guardedRoute, 400))).not.toContain('WWW-Authenticate');
    },
  );

  it('include WWW-Authenticate as optional at status 403 if cookies may replace a token', () => {
    expect(describeHeaders(guardedRoute, 403, { byCookie: true })).toMatchObject({
      'WWW-Authenticate': { required: false },
    });
    expect(describeHeaders(guardedRoute, 401, { byCookie: true })).toEqual(
      describeHeaders(guardedRoute, 401),
    );
    expect(names(describeHeaders(openRoute, 403, { byCookie: true }))).not.toContain(
      'WWW-Authenticate',
    );
  });

  it('include the headers that the route declares for the status', () => {
    expect(describeHeaders(openRoute, 201)).toMatchObject({
      Location: { description: 'Where it is.', required: true, schema: { type: 'string' } },
    });
    expect(names(describeHeaders(openRoute, 400))).not.toContain('Location');
  });

  it('include the answer headers of the route at each status except 405', () => {
    const deprecated = defineRoute({
      ...plain,
      answerHeaderTexts: { Link: 'What to use instead.' },
    });
    for (const status of [201, 400, 503]) {
      expect(names(describeHeaders(deprecated, status))).toContain('Link');
    }
    expect(names(describeHeaders(deprecated, 405))).not.toContain('Link');
  });

  it('refer to each shared header', () => {
    const referencedNames = [401, 405, 429].flatMap((status) =>
      names(describeHeaders(guardedRoute, status)),
    );
    expect(new Set(referencedNames)).toEqual(new Set(names(SHARED_HEADERS)));
  });
});

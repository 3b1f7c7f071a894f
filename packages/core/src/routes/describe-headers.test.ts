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
  errors: [],
  handle: () => jsonResponse(201, {}),
} as const;

const open = defineRoute(plain);
const guarded = defineRoute({ ...plain, auth: { scope: 'user' } });

const names = (described: object) => Object.keys(described);

describe('the documented headers of a response', () => {
  it.each([200, 400, 401, 500])(
    'of %d include the Cache-Control that forbids storing',
    (status) => {
      expect(describeHeaders(open, status)).toEqual({
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
    [405, 'Allow'],
    [429, 'Retry-After'],
    [503, 'Retry-After'],
  ])('of %d include %s', (status, name) => {
    expect(names(describeHeaders(open, status))).toEqual(['Cache-Control', name]);
  });

  it.each([401, 403])(
    'of %d include WWW-Authenticate if the route requires authorization',
    (status) => {
      expect(names(describeHeaders(guarded, status))).toContain('WWW-Authenticate');
      expect(names(describeHeaders(open, status))).not.toContain('WWW-Authenticate');
      expect(names(describeHeaders(guarded, 400))).not.toContain('WWW-Authenticate');
    },
  );

  it('include the headers declared for its status', () => {
    expect(describeHeaders(open, 201)).toMatchObject({
      Location: { description: 'Where it is.', required: true, schema: { type: 'string' } },
    });
    expect(names(describeHeaders(open, 400))).not.toContain('Location');
  });

  it('include the answer headers of the route, except for 405', () => {
    const old = defineRoute({ ...plain, answerHeaderTexts: { Link: 'What to use instead.' } });
    for (const status of [201, 400, 503]) {
      expect(names(describeHeaders(old, status))).toContain('Link');
    }
    expect(names(describeHeaders(old, 405))).not.toContain('Link');
  });

  it('refer to each shared header', () => {
    const referred = [401, 405, 429].flatMap((status) => names(describeHeaders(guarded, status)));
    expect(new Set(referred)).toEqual(new Set(names(SHARED_HEADERS)));
  });
});

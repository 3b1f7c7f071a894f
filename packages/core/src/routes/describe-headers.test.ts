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

describe('the headers of an answer', () => {
  it.each([200, 400, 401, 500])('of %d say that nobody may keep it', (status) => {
    expect(describeHeaders(open, status)).toEqual({
      'Cache-Control': { $ref: '#/components/headers/Cache-Control' },
    });
  });

  it('say how long everybody may keep what everybody may know', () => {
    const answers = { 200: { description: 'Known.', maxAgeSeconds: 300 } };
    expect(describeHeaders(defineRoute({ ...plain, answers }), 200)).toMatchObject({
      'Cache-Control': { required: true, schema: { const: 'public, max-age=300' } },
    });
  });

  it.each([
    [405, 'Allow'],
    [429, 'Retry-After'],
    [503, 'Retry-After'],
  ])('of %d have %s', (status, name) => {
    expect(names(describeHeaders(open, status))).toEqual(['Cache-Control', name]);
  });

  it.each([401, 403])('of %d have a challenge where a bearer token is asked for', (status) => {
    expect(names(describeHeaders(guarded, status))).toContain('WWW-Authenticate');
    expect(names(describeHeaders(open, status))).not.toContain('WWW-Authenticate');
    expect(names(describeHeaders(guarded, 400))).not.toContain('WWW-Authenticate');
  });

  it('are those of the answer too', () => {
    expect(describeHeaders(open, 201)).toMatchObject({
      Location: { description: 'Where it is.', required: true, schema: { type: 'string' } },
    });
    expect(names(describeHeaders(open, 400))).not.toContain('Location');
  });

  it('are those of every answer of its route, but not of another method', () => {
    const old = defineRoute({ ...plain, answerHeaderTexts: { Link: 'What to use instead.' } });
    for (const status of [201, 400, 503]) {
      expect(names(describeHeaders(old, status))).toContain('Link');
    }
    expect(names(describeHeaders(old, 405))).not.toContain('Link');
  });

  it('are described where they are referred to', () => {
    const referred = [401, 405, 429].flatMap((status) => names(describeHeaders(guarded, status)));
    expect(new Set(referred)).toEqual(new Set(names(SHARED_HEADERS)));
  });
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { errorOf } from './client-error.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

function clientErrorOf(status: number, retryAfter?: string, body: object = {}) {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return errorOf(new Response(null, { status, headers }), body);
}

it.each([
  ['7', 7],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:00:20 GMT', 20],
])(
  'a response with Retry-After %j becomes a ClientError with retryAfterSeconds %j',
  (retryAfter, seconds) => {
    expect(clientErrorOf(503, retryAfter).retryAfterSeconds).toBe(seconds);
  },
);

it.each([
  ['a Retry-After in the past', 'Wed, 31 Dec 2025 23:59:00 GMT'],
  ['a Retry-After that is neither seconds nor a date', 'soon'],
  ['an empty Retry-After', ''],
  ['no Retry-After', undefined],
])('a response with %s becomes a ClientError without retryAfterSeconds', (_, retryAfter) => {
  expect(clientErrorOf(503, retryAfter).retryAfterSeconds).toBeUndefined();
});

it.each([
  [429, {}, 'too_many_requests'],
  [404, {}, 'invalid_answer'],
  [502, {}, 'server_error'],
  [503, { error: { code: 'of a proxy' } }, 'server_error'],
  [503, { error: 'temporarily_unavailable' }, 'temporarily_unavailable'],
])(
  'a response of status %i with the body %j becomes a ClientError with the code %s',
  (status, body, code) => {
    expect(clientErrorOf(status, undefined, body).code).toBe(code);
  },
);

it.each([
  ['an object as `errors`, as of a proxy,', { errors: { amount: ['too small'] } }],
  ['a text as `errors`, as of a proxy,', { errors: 'no' }],
  ['no `errors`', {}],
])('a response with %s becomes a ClientError without fields', (_, body) => {
  expect(clientErrorOf(422, undefined, body).fields).toEqual([]);
});

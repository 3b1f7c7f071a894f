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
  ['Wed, 31 Dec 2025 23:59:00 GMT', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])(
  'a response with Retry-After %j becomes a ClientError with retryAfterSeconds %j',
  (retryAfter, seconds) => {
    expect(clientErrorOf(503, retryAfter).retryAfterSeconds).toBe(seconds);
  },
);

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

it.each([{ amount: ['too small'] }, 'no', undefined])(
  'a response with the errors %j, of a proxy, becomes a ClientError without fields',
  (errors) => {
    expect(clientErrorOf(422, undefined, { errors }).fields).toEqual([]);
  },
);

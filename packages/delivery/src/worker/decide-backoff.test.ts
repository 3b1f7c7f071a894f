import { describe, expect, it } from 'vitest';
import type { SendResult } from '../send/send-result.ts';
import { decideBackoff } from './decide-backoff.ts';

const resultOf = (status: number | null, retryAfterMs: number | null = null): SendResult => ({
  status,
  durationMs: 1,
  error: null,
  retryAfterMs,
});

describe('the backoff of a webhook', () => {
  it.each([429, 502, 503, 504])('is five seconds after a %d without Retry-After', (status) => {
    expect(decideBackoff(resultOf(status))).toBe(5_000);
  });

  it.each([
    ['as long as a Retry-After of 30 seconds', 30_000, 30_000],
    ['zero for a Retry-After of 0', 0, 0],
    ['a minute for a Retry-After of a day', 86_400_000, 60_000],
  ])('is %s', (_, retryAfterMs, backoffMs) => {
    expect(decideBackoff(resultOf(503, retryAfterMs))).toBe(backoffMs);
  });

  it.each([200, 302, 400, 404, 410, 500, 501])(
    'is zero after a %d, even with a Retry-After',
    (status) => {
      expect(decideBackoff(resultOf(status, 60_000))).toBe(0);
    },
  );

  it('is zero if the response is incomplete or missing', () => {
    expect(decideBackoff({ ...resultOf(503, 60_000), error: 'connection_reset' })).toBe(0);
    expect(decideBackoff({ ...resultOf(null), error: 'timeout' })).toBe(0);
  });
});

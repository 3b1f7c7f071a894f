import { describe, expect, it } from 'vitest';
import type { SendResult } from '../send/send-result.ts';
import { decideBackoff } from './decide-backoff.ts';

const answered = (status: number | null, retryAfterMs: number | null = null): SendResult => ({
  status,
  durationMs: 1,
  error: null,
  retryAfterMs,
});

describe('the backoff of a webhook', () => {
  it.each([429, 502, 503, 504])('is five seconds after %d', (status) => {
    expect(decideBackoff(answered(status))).toBe(5_000);
  });

  it.each([
    ['the Retry-After of the receiver', 30_000, 30_000],
    ['none for a Retry-After of 0', 0, 0],
    ['a minute at most', 86_400_000, 60_000],
  ])('is %s', (_, retryAfterMs, pauseMs) => {
    expect(decideBackoff(answered(503, retryAfterMs))).toBe(pauseMs);
  });

  it.each([200, 302, 400, 404, 410, 500, 501])('is none after %d', (status) => {
    expect(decideBackoff(answered(status, 60_000))).toBe(0);
  });

  it('is none if the response was cut off, or if there was none', () => {
    expect(decideBackoff({ ...answered(503, 60_000), error: 'connection_reset' })).toBe(0);
    expect(decideBackoff({ ...answered(null), error: 'timeout' })).toBe(0);
  });
});

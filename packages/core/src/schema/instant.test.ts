import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { instant } from './instant.ts';

describe('an instant', () => {
  it.each([
    ['2026-11-20T10:00:00.000Z', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T10:00:00Z', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T10:00Z', Date.UTC(2026, 10, 20, 10)],
    ['2026-11-20T12:30:00.5+02:30', Date.UTC(2026, 10, 20, 10, 0, 0, 500)],
    ['2024-02-29T00:00:00-00:00', Date.UTC(2024, 1, 29)],
  ])('%s is parsed', (text, expected) => {
    expect(v.parse(instant, text)).toBe(expected);
  });

  it.each([
    '',
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-11-20 10:00:00Z',
    '2026-02-30T10:00:00Z',
    '2025-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-11-20T25:00:00Z',
    '2026-11-20T10:60:00Z',
    '20 November 2026 10:00 UTC',
    '2026-11-20T10:00:00Z ',
    '1795171200',
    `2026-11-20T10:00:00.${'0'.repeat(10)}Z`,
  ])('%j is rejected', (text) => {
    expect(v.is(instant, text)).toBe(false);
  });
});

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { instant } from './instant.ts';

describe('a timestamp in a request', () => {
  it.each([
    ['milliseconds', '2026-11-20T10:00:00.000Z', Date.UTC(2026, 10, 20, 10)],
    ['whole seconds', '2026-11-20T10:00:00Z', Date.UTC(2026, 10, 20, 10)],
    ['no seconds', '2026-11-20T10:00Z', Date.UTC(2026, 10, 20, 10)],
    ['a zone ahead of UTC', '2026-11-20T12:30:00.5+02:30', Date.UTC(2026, 10, 20, 10, 0, 0, 500)],
    ['the zone -00:00 and a leap day', '2024-02-29T00:00:00-00:00', Date.UTC(2024, 1, 29)],
  ])('may have %s: %s', (_, text, expected) => {
    expect(v.parse(instant, text)).toBe(expected);
  });

  it.each([
    ['is empty', ''],
    ['is a date without a time', '2026-11-20'],
    ['has no zone', '2026-11-20T10:00:00'],
    ['has a space instead of the T', '2026-11-20 10:00:00Z'],
    ['is on February 30', '2026-02-30T10:00:00Z'],
    ['is on February 29 of a common year', '2025-02-29T10:00:00Z'],
    ['has month 13', '2026-13-01T10:00:00Z'],
    ['has hour 25', '2026-11-20T25:00:00Z'],
    ['has minute 60', '2026-11-20T10:60:00Z'],
    ['is in words', '20 November 2026 10:00 UTC'],
    ['ends with a space', '2026-11-20T10:00:00Z '],
    ['is in seconds instead of ISO 8601', '1795171200'],
    ['has ten digits of fraction', `2026-11-20T10:00:00.${'0'.repeat(10)}Z`],
  ])('is rejected if it %s: %j', (_, text) => {
    expect(v.is(instant, text)).toBe(false);
  });
});

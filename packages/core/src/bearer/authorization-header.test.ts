import { describe, expect, it } from 'vitest';
import { parseAuthorization } from './authorization-header.ts';

const MAX_TOKEN_LENGTH = 8192;

describe('parseAuthorization', () => {
  it.each(['Bearer a.b.c', 'bearer a.b.c', 'BEARER a.b.c', 'Bearer   a.b.c'])(
    'reads the token from %j',
    (header) => {
      expect(parseAuthorization(header)).toEqual({ kind: 'bearer', token: 'a.b.c' });
    },
  );

  it.each([undefined, '', 'Basic dTpw', 'Bearerer a.b.c', 'a.b.c', ' ', 'Bearer,a'])(
    'returns the kind none for %j',
    (header) => {
      expect(parseAuthorization(header)).toEqual({ kind: 'none' });
    },
  );

  it.each(['Bearer', 'Bearer ', 'Bearer    ', 'Bearer a b', 'Bearer a ', 'Bearer a, Bearer b'])(
    'returns the kind malformed for %j',
    (header) => {
      expect(parseAuthorization(header)).toEqual({ kind: 'malformed' });
    },
  );

  it.each([
    [MAX_TOKEN_LENGTH, 'bearer'],
    [MAX_TOKEN_LENGTH + 1, 'malformed'],
  ])('returns for a token of %i characters the kind %s', (length, kind) => {
    expect(parseAuthorization(`Bearer ${'a'.repeat(length)}`).kind).toBe(kind);
  });
});

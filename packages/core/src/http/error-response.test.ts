import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { errorResponse, STATUS_BY_CODE } from './error-response.ts';

describe('errorResponse', () => {
  it('closes the connection after a body timeout', () => {
    const { status, headers } = errorResponse(new AuthError('body_timeout', 'Too late.'));
    expect([status, headers['connection']]).toEqual([408, 'close']);
  });

  it.each(['invalid_request', 'body_too_large', 'server_error'] as const)(
    'leaves the connection open after %s',
    (code) => {
      expect(errorResponse(new AuthError(code, 'No.')).headers).not.toHaveProperty('connection');
    },
  );
});

describe('docs/guides/http-api.md', () => {
  it('lists every status and error, each pair once', () => {
    const guide = new URL('../../../../docs/guides/http-api.md', import.meta.url);
    const rows = readFileSync(guide, 'utf8').matchAll(/^\| (\d{3}) +\| `(\w+)` +\|/gm);
    const listedPairs = Array.from(rows, ([, status, error]) => `${status} ${error}`);
    const knownPairs = Object.entries(STATUS_BY_CODE).map(
      ([code, { status, error = code }]) => `${status} ${error}`,
    );
    expect(listedPairs.sort()).toEqual([...new Set(knownPairs)].sort());
  });
});

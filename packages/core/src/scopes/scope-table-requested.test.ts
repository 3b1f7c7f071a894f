import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { builtInScopes, requestedScopes as readScopes } from '../scopes/scope-table.ts';

const requestedScopes = (fields: Parameters<typeof readScopes>[0]) =>
  readScopes(fields, builtInScopes);

function rejection(fields: Parameters<typeof readScopes>[0]): string | undefined {
  try {
    requestedScopes(fields);
    return undefined;
  } catch (error) {
    return error instanceof AuthError ? error.code : undefined;
  }
}

describe('requested scopes', () => {
  it('are undefined if the request names none', () => {
    expect(requestedScopes({})).toBeUndefined();
  });

  it('do not depend on an empty `scope`', () => {
    expect(requestedScopes({ scope: '' })).toBeUndefined();
    expect(requestedScopes({ scope: '', scopes: 'admin' })).toEqual(['admin']);
  });

  it('are rejected with invalid_scope if `scope` is a space', () => {
    expect(rejection({ scope: ' ' })).toBe('invalid_scope');
  });

  it('are returned in canonical order, each once, for all spellings', () => {
    expect(requestedScopes({ scopes: 'admin , user,admin' })).toEqual(['user', 'admin']);
    expect(requestedScopes({ scope: 'admin user' })).toEqual(['user', 'admin']);
    expect(requestedScopes({ scopes: ['admin', 'user'] })).toEqual(['user', 'admin']);
  });

  it('are deduplicated even if one is repeated 3,000 times', () => {
    expect(requestedScopes({ scopes: Array(3_000).fill('user').join(',') })).toEqual(['user']);
    expect(requestedScopes({ scope: Array(3_000).fill('user').join(' ') })).toEqual(['user']);
  });

  it.each([
    '',
    ',',
    'user,,admin',
    'user,',
    'user admin',
    'USER',
    ' user',
    'root',
    'user,'.repeat(1000),
  ])('are rejected with invalid_scope: %j', (scopes) => {
    expect(rejection({ scopes })).toBe('invalid_scope');
  });

  it('are rejected with invalid_scope as an empty list', () => {
    expect(rejection({ scopes: [] })).toBe('invalid_scope');
  });

  it('are rejected with invalid_request if both spellings are given', () => {
    expect(rejection({ scopes: 'user', scope: 'user' })).toBe('invalid_request');
  });
});

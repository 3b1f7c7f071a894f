import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { requestedScopes } from './requested-scopes.ts';

function refusal(fields: Parameters<typeof requestedScopes>[0]): string | undefined {
  try {
    requestedScopes(fields);
    return undefined;
  } catch (error) {
    return error instanceof AuthError ? error.code : undefined;
  }
}

describe('requested scopes', () => {
  it('are none where the request names none', () => {
    expect(requestedScopes({})).toBeUndefined();
  });

  it('are none in an empty `scope`, as in a form', () => {
    expect(requestedScopes({ scope: '' })).toBeUndefined();
    expect(requestedScopes({ scope: '', scopes: 'admin' })).toEqual(['admin']);
    expect(refusal({ scope: ' ' })).toBe('invalid_scope');
  });

  it('come in canonical order, each once, whatever the spelling', () => {
    expect(requestedScopes({ scopes: 'admin , user,admin' })).toEqual(['user', 'admin']);
    expect(requestedScopes({ scope: 'admin user' })).toEqual(['user', 'admin']);
    expect(requestedScopes({ scopes: ['admin', 'user'] })).toEqual(['user', 'admin']);
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
  ])('refuse %j', (scopes) => {
    expect(refusal({ scopes })).toBe('invalid_scope');
  });

  it('refuse an empty list', () => {
    expect(refusal({ scopes: [] })).toBe('invalid_scope');
  });

  it('refuse both spellings at once', () => {
    expect(refusal({ scopes: 'user', scope: 'user' })).toBe('invalid_request');
  });
});

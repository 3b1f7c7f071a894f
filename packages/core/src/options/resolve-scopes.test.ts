import { describe, expect, it } from 'vitest';
import { resolveScopes } from './resolve-scopes.ts';

const scopesOf = (count: number, chars: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}`.padEnd(chars, 'x'), {}]));

describe('the option scopes', () => {
  it('appends scopes to the built-in ones', () => {
    const { names, own } = resolveScopes({ 'billing:read': { description: 'Read invoices.' } });
    expect(names).toEqual(['user', 'admin', 'internal', 'auth', 'billing:read']);
    expect(own.get('billing:read')).toEqual({ description: 'Read invoices.' });
    expect(resolveScopes({}).names).toEqual(resolveScopes(undefined).names);
  });

  it('accepts every character that RFC 6749 allows in a scope, except for the comma', () => {
    const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
    const acceptedChars = visible.filter((char) => {
      try {
        return resolveScopes({ [`a${char}`]: {} }).has(`a${char}`);
      } catch {
        return false;
      }
    });
    expect(visible.filter((char) => !acceptedChars.includes(char))).toEqual(['"', ',', '\\']);
  });

  it('accepts 64 scopes, and names of 64 characters', () => {
    expect(resolveScopes(scopesOf(64, 15)).own.size).toBe(64);
    expect(resolveScopes(scopesOf(15, 64)).own.size).toBe(15);
  });

  it.each<[mistake: string, message: string, scopes: unknown]>([
    [
      'it is a list',
      "scopes must be an object of scopes by name, such as { 'billing:read': {} }",
      [],
    ],
    ['it is null', 'scopes must be an object of scopes by name', null],
    ['it is a Map', 'scopes must be an object of scopes by name', new Map([['payout', {}]])],
    [
      'it names a built-in scope',
      'scopes "admin" is a scope that every app has: leave it out',
      { admin: {} },
    ],
    ['a name has a space', 'scopes "a b" must be 1 to 64 visible ASCII characters', { 'a b': {} }],
    [
      'a name has a comma',
      'without comma, double quote and backslash (RFC 6749 3.3)',
      { 'a,b': {} },
    ],
    ['a name is empty', 'scopes "" must be 1 to 64', { '': {} }],
    ['a name is not ASCII', 'scopes "schlüssel" must be', { lesen: {}, schlüssel: {} }],
    ['a name has 65 characters', 'must be 1 to 64', scopesOf(1, 65)],
    ['it names 65 scopes', 'scopes must name 64 scopes at most, not 65', scopesOf(65, 2)],
    [
      'its names have more than 1024 characters in all',
      'scopes must have names of 1024 characters in all',
      scopesOf(64, 16),
    ],
    [
      'a scope is true',
      'scopes["payout"] takes an object of: description, sensitive, stepUp',
      { payout: true },
    ],
    [
      'a scope has an unknown field',
      'scopes["payout"] knows no "stepup"',
      { payout: { stepup: true } },
    ],
    [
      'stepUp is a text',
      'scopes "payout": stepUp must be true or false',
      { payout: { stepUp: 'false' } },
    ],
    [
      'sensitive is a number',
      'scopes "payout": sensitive must be true or false',
      { payout: { sensitive: 1 } },
    ],
    [
      'a description is a number',
      'scopes "payout": description must be a string',
      { payout: { description: 1 } },
    ],
  ])('is rejected if %s', (_, message, scopes) => {
    expect(() => resolveScopes(scopes)).toThrow(message);
  });
});

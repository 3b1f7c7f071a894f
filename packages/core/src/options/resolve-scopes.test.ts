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

  it.each([
    ["scopes must be an object of scopes by name, such as { 'billing:read': {} }", []],
    ['scopes must be an object of scopes by name', null],
    ['scopes must be an object of scopes by name', new Map([['payout', {}]])],
    ['scopes "admin" is a scope that every app has: leave it out', { admin: {} }],
    ['scopes "a b" must be 1 to 64 visible ASCII characters', { 'a b': {} }],
    ['without comma, double quote and backslash (RFC 6749 3.3)', { 'a,b': {} }],
    ['scopes "" must be 1 to 64', { '': {} }],
    ['scopes "schlüssel" must be', { lesen: {}, schlüssel: {} }],
    ['must be 1 to 64', scopesOf(1, 65)],
    ['scopes must name 64 scopes at most, not 65', scopesOf(65, 2)],
    ['scopes must have names of 1024 characters in all', scopesOf(64, 16)],
    ['scopes["payout"] takes an object of: description, sensitive, stepUp', { payout: true }],
    ['scopes["payout"] knows no "stepup"', { payout: { stepup: true } }],
    ['scopes "payout": stepUp must be true or false', { payout: { stepUp: 'false' } }],
    ['scopes "payout": sensitive must be true or false', { payout: { sensitive: 1 } }],
    ['scopes "payout": description must be a string', { payout: { description: 1 } }],
  ])('is rejected: %s', (message, scopes) => {
    expect(() => resolveScopes(scopes)).toThrow(message);
  });
});

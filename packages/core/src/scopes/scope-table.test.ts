import { describe, expect, it } from 'vitest';
import { createScopeTable, givenScopes } from './scope-table.ts';

const table = createScopeTable({
  'billing:read': { description: 'Read invoices.' },
  'billing:write': { sensitive: true },
  payout: { stepUp: true },
});

describe('the table of scopes', () => {
  it('lists the given scopes before those of the app', () => {
    expect(table.names).toEqual([
      ...['user', 'admin', 'internal', 'auth'],
      ...['billing:read', 'billing:write', 'payout'],
    ]);
    expect(table.canonical(['payout', 'user', 'payout', 'gone'])).toEqual(['user', 'payout']);
  });

  it('has no name that objects have by themselves', () => {
    for (const name of ['constructor', '__proto__', 'toString', '', undefined, ['user']]) {
      expect(table.has(name)).toBe(false);
    }
  });

  it.each([
    [['user'], false],
    [['user', 'billing:read', 'payout'], false],
    [['user', 'billing:write'], true],
    [['admin'], true],
    [['internal'], true],
    [['auth'], true],
    [[], false],
  ])('says of %j that each use must ask for liveness: %s', (scopes, expected) => {
    expect(table.needsLiveness(scopes)).toBe(expected);
  });

  it('keeps of an older grant neither what steps up nor what is gone', () => {
    const granted = ['user', 'auth', 'payout', 'gone', 'billing:read'];
    expect(table.stepsUp(granted)).toBe(true);
    expect(table.lasting(granted)).toEqual(['user', 'billing:read']);
    expect(table.stepsUp(table.lasting(granted))).toBe(false);
  });

  it('of an app without scopes has the given ones alone', () => {
    expect(givenScopes.names).toEqual(['user', 'admin', 'internal', 'auth']);
    expect(givenScopes.stepUp).toEqual(['auth']);
    expect(givenScopes.own.size).toBe(0);
  });
});

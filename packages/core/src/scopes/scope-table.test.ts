import { describe, expect, it } from 'vitest';
import { builtInScopes, createScopeTable } from './scope-table.ts';

const table = createScopeTable({
  'billing:read': { description: 'Read invoices.' },
  'billing:write': { sensitive: true },
  payout: { stepUp: true },
});

describe('the table of scopes', () => {
  it('lists the built-in scopes before those of the app', () => {
    expect(table.names).toEqual([
      'user',
      'admin',
      'internal',
      'auth',
      'billing:read',
      'billing:write',
      'payout',
    ]);
  });

  it('reduces a list to its own scopes, each once, in that order', () => {
    expect(table.canonical(['payout', 'user', 'payout', 'gone'])).toEqual(['user', 'payout']);
  });

  it('has no property of Object.prototype as a scope', () => {
    for (const name of ['constructor', '__proto__', 'toString', '', undefined, ['user']]) {
      expect(table.has(name)).toBe(false);
    }
  });

  it.each([[['user', 'billing:write']], [['admin']], [['internal']], [['auth']]])(
    'requires a session check at each use of %j',
    (scopes) => {
      expect(table.needsLiveness(scopes)).toBe(true);
    },
  );

  it.each([[['user']], [['user', 'billing:read', 'payout']], [[]]])(
    'requires no session check at a use of %j',
    (scopes) => {
      expect(table.needsLiveness(scopes)).toBe(false);
    },
  );

  it('drops step-up scopes and removed scopes from an older grant', () => {
    const granted = ['user', 'auth', 'payout', 'gone', 'billing:read'];
    expect(table.stepsUp(granted)).toBe(true);
    expect(table.lasting(granted)).toEqual(['user', 'billing:read']);
    expect(table.stepsUp(table.lasting(granted))).toBe(false);
  });

  it('has only the built-in scopes if the app defines none', () => {
    expect(builtInScopes.names).toEqual(['user', 'admin', 'internal', 'auth']);
    expect(builtInScopes.stepUp).toEqual(['auth']);
    expect(builtInScopes.own.size).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { userStatusOf } from './entitlement.ts';
import type { User } from './users.ts';

const ada: User = { id: 'ada', passwordHash: null, accounts: [1, 2] };
const login = { accountId: 2, authTimeMs: 1_000 };

describe('the status of a user', () => {
  it.each<[outcome: string, user: User | null]>([
    ['good', ada],
    ['good', { ...ada, passwordChangedAtMs: 1_000 }],
    ['user_gone', null],
    ['user_disabled', { ...ada, disabled: true }],
    ['membership_lost', { ...ada, accounts: [1] }],
    ['password_changed', { ...ada, passwordChangedAtMs: 1_001 }],
  ])('is %s for the user %j', (outcome, user) => {
    expect(userStatusOf(user, login).outcome).toBe(outcome);
  });

  it('ignores the accounts if the login is bound to none', () => {
    const user = { ...ada, accounts: [] };
    expect(userStatusOf(user, { ...login, accountId: null }).outcome).toBe('good');
  });
});

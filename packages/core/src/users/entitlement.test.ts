import { describe, expect, it } from 'vitest';
import { userStatusOf } from './entitlement.ts';
import type { User } from './users.ts';

const ada: User = { id: 'ada', passwordHash: null, accounts: [1, 2] };
const login = { accountId: 2, authTimeMs: 1_000 };

describe('the status of a user for a login to account 2 at 1000 ms', () => {
  it.each<[outcome: string, user: User | null]>([
    ['good', ada],
    ['good', { ...ada, passwordChangedAtMs: 1_000 }],
    ['user_gone', null],
    ['user_disabled', { ...ada, disabled: true }],
    ['membership_lost', { ...ada, accounts: [1] }],
    ['password_changed', { ...ada, passwordChangedAtMs: 1_001 }],
  ])('is %s if the user store returns %j', (outcome, user) => {
    expect(userStatusOf(user, login).outcome).toBe(outcome);
  });
});

it('the status of a user is good for a login without an account, whatever accounts the user has', () => {
  const user = { ...ada, accounts: [] };
  expect(userStatusOf(user, { ...login, accountId: null }).outcome).toBe('good');
});

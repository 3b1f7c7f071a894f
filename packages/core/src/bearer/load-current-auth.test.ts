import { describe, expect, it } from 'vitest';
import type { PersonalAccessTokenInfo } from '../personal-access-tokens/personal-access-token-info.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import { userStatusOf } from '../users/entitlement.ts';
import type { User } from '../users/users.ts';
import { createLoadCurrentAuth } from './load-current-auth.ts';

const LOGIN_MS = Date.UTC(2027, 0, 1);
const DAY_MS = 86_400_000;

const TOKEN: AccessTokenInfo = {
  credential: 'access_token',
  userId: 'ada',
  scopes: ['user', 'admin', 'auth'],
  accounts: [1, 2],
  accountId: null,
  sessionId: 's1',
  clientId: 'latchhook',
  tokenId: 't1',
  issuedAtMs: LOGIN_MS,
  expiresAtMs: LOGIN_MS + DAY_MS,
  authTimeMs: LOGIN_MS,
  amr: ['pwd'],
  claims: {},
};

const PERSONAL: PersonalAccessTokenInfo = {
  credential: 'personal_access_token',
  userId: 'ada',
  scopes: ['user'],
  accounts: [1],
  accountId: null,
  tokenId: 'pat_1',
  issuedAtMs: LOGIN_MS,
  expiresAtMs: LOGIN_MS + DAY_MS,
  claims: {},
};

const ADA: User = {
  id: 'ada',
  passwordHash: null,
  accounts: [1, 2],
  scopes: ['user', 'admin', 'auth'],
};

/** `loadCurrentAuth` on a user store in which ada is changed like this; `null`: the store has no such user. */
function setup(change: Partial<User> | null = {}) {
  const lookups: string[] = [];
  const loadCurrentAuth = createLoadCurrentAuth(async (login) => {
    lookups.push(login.userId);
    return userStatusOf(change && { ...ADA, ...change }, login);
  });
  return { loadCurrentAuth, lookups };
}

describe('loadCurrentAuth for an access token', () => {
  it('returns the token unchanged if the user still has its scopes and accounts', async () => {
    const { loadCurrentAuth, lookups } = setup();
    expect(await loadCurrentAuth(TOKEN)).toEqual(TOKEN);
    expect(lookups).toEqual(['ada']);
  });

  it.each<[string, Partial<User> | null]>([
    ['is gone', null],
    ['is disabled', { disabled: true }],
    ['has changed the password after the login', { passwordChangedAtMs: LOGIN_MS + 1000 }],
  ])('returns null if the user %s', async (_, change) => {
    expect(await setup(change).loadCurrentAuth(TOKEN)).toBeNull();
  });

  it('returns the current accounts of the user, each once, in the order of the user store', async () => {
    const { loadCurrentAuth } = setup({ accounts: [4, 1, 4] });
    expect(await loadCurrentAuth(TOKEN)).toEqual({ ...TOKEN, accounts: [4, 1] });
  });

  const boundToken = { ...TOKEN, accounts: [2], accountId: 2 };

  it('returns only the account that the token is bound to', async () => {
    expect(await setup({ accounts: [1, 2] }).loadCurrentAuth(boundToken)).toEqual(boundToken);
  });

  // Not `null`: the route checks its account itself.
  it('returns no account if the user has lost the account that the token is bound to', async () => {
    expect(await setup({ accounts: [4, 1] }).loadCurrentAuth(boundToken)).toEqual({
      ...boundToken,
      accounts: [],
    });
  });

  it('returns the scopes of the token that the user still has', async () => {
    const { loadCurrentAuth } = setup({ scopes: ['internal', 'auth', 'user'] });
    expect(await loadCurrentAuth(TOKEN)).toEqual({ ...TOKEN, scopes: ['user', 'auth'] });
  });
});

describe('loadCurrentAuth for a personal access token', () => {
  it('returns the token unchanged, without another user look-up', async () => {
    const { loadCurrentAuth, lookups } = setup(null);
    expect(await loadCurrentAuth(PERSONAL)).toBe(PERSONAL);
    expect(lookups).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { builtInScopes } from '../scopes/scope-table.ts';
import type { PersonalAccessTokenRecord } from '../storage/personal-access-token-store.ts';
import type { User } from '../users/users.ts';
import { hashPersonalAccessToken, newPersonalAccessToken } from './personal-access-token.ts';
import { createUsePersonalAccessToken } from './use-personal-access-token.ts';

const TOKEN = newPersonalAccessToken();

const RECORD: PersonalAccessTokenRecord = {
  userId: 'ada',
  tokenId: 'pat_1',
  name: 'x',
  prefix: 'lh_pat_xxxx',
  scopes: ['user', 'admin'],
  accountId: null,
  sequence: 1,
  createdAtMs: 1_000,
  expiresAtMs: 2_000,
  lastUsedAtMs: null,
};

const ADA: User = { id: 'ada', passwordHash: null, accounts: [1, 2, 1], scopes: ['user', 'admin'] };

/** The use of tokens with a storage that has the record, and a user store that has the user. */
function setup({
  record = {},
  user = {},
}: {
  readonly record?: Partial<PersonalAccessTokenRecord>;
  readonly user?: Partial<User> | null;
} = {}) {
  const lookUps: string[] = [];
  const storedRecord = { ...RECORD, ...record };
  const use = createUsePersonalAccessToken({
    scopeTable: builtInScopes,
    cache: {
      async find(tokenHash) {
        lookUps.push('storage');
        return tokenHash === hashPersonalAccessToken(TOKEN) ? storedRecord : null;
      },
      findCached(tokenHash) {
        lookUps.push('memory');
        return tokenHash === hashPersonalAccessToken(TOKEN) ? storedRecord : undefined;
      },
    },
    users: {
      async findById(userId) {
        lookUps.push(userId);
        return user && { ...ADA, ...user };
      },
    },
  });
  return { use, lookUps };
}

describe('the use of a personal access token', () => {
  it('returns its owner, scopes and accounts', async () => {
    expect(await setup().use(TOKEN, 'current')).toEqual({
      credential: 'personal_access_token',
      userId: 'ada',
      scopes: ['user', 'admin'],
      accounts: [1, 2],
      accountId: null,
      tokenId: 'pat_1',
      issuedAtMs: 1_000,
      expiresAtMs: 2_000,
      claims: {},
    });
  });

  it.each(['', 'lh_pat_', `${TOKEN}0`, TOKEN.slice(0, -1), `lh_pat_${'0'.repeat(36)}`])(
    'returns null synchronously for %j, without a look-up',
    (garbage) => {
      const { use, lookUps } = setup();
      expect(use(garbage, 'recent')).toBeNull();
      expect(lookUps).toEqual([]);
    },
  );

  it('looks up token and owner once each if the cache is bypassed', async () => {
    const { use, lookUps } = setup();
    await use(TOKEN, 'current');
    expect(lookUps).toEqual(['storage', 'ada']);
  });

  it('looks up the owner even if the token is cached', async () => {
    const { use, lookUps } = setup();
    await use(TOKEN, 'recent');
    expect(lookUps).toEqual(['memory', 'ada']);
  });

  it('does not look up a user for an unknown token', async () => {
    const { use, lookUps } = setup();
    expect(await use(newPersonalAccessToken(), 'current')).toBeNull();
    expect(lookUps).toEqual(['storage']);
  });

  it.each<[string, Partial<PersonalAccessTokenRecord>, Partial<User> | null]>([
    ['is gone', {}, null],
    ['is disabled', {}, { disabled: true }],
    ['has left the account', { accountId: 2 }, { accounts: [1] }],
    ['has lost every scope of the token', {}, { scopes: ['internal'] }],
  ])('resolves to null if the owner %s', async (_, record, user) => {
    expect(await setup({ record, user }).use(TOKEN, 'current')).toBeNull();
  });

  it('returns the scopes of the token that its owner still has, except for auth', async () => {
    const { use } = setup({
      record: { scopes: ['user', 'admin', 'auth'] },
      user: { scopes: ['user', 'internal', 'auth'] },
    });
    expect(await use(TOKEN, 'current')).toMatchObject({ scopes: ['user'] });
  });
});

import { describe, expect, it } from 'vitest';
import {
  emittedEvents,
  type GrantFixture,
  grantFixture,
  MANY_ACCOUNTS,
  rejectUnavailable,
  unavailable,
} from './grant-fixture.test.support.ts';
import {
  createLogin,
  INVALID_TOKEN,
  isTokenUnused,
  refresh,
} from './refresh-fixture.test.support.ts';

describe('a refresh for an account', () => {
  it('issues a token for one account of the user if the session is bound to none', async () => {
    const { fixture, token } = await createLogin();
    const { accessToken } = await refresh(fixture, token, { accountId: 2 });
    const verified = await fixture.accessTokens.verify(accessToken);
    expect(verified).toMatchObject({ info: { accountId: 2 } });
    // The session itself stays bound to none.
    expect(await fixture.deps.sessions.list('ada')).toMatchObject([{ accountId: null }]);
  });

  it.each([
    ['an account of another user', undefined, 99, { code: 'access_denied' }],
    ['an account other than the account of the session', 2, 1, { code: 'invalid_request' }],
    [
      'an account of another user, by a session that is bound to an account',
      2,
      99,
      { code: 'invalid_request' },
    ],
  ])('is rejected for %s, and consumes no token', async (_, boundId, accountId, error) => {
    const { fixture, token } = await createLogin(
      grantFixture(),
      boundId ? { accountId: boundId } : {},
    );
    await expect(refresh(fixture, token, { accountId })).rejects.toMatchObject(error);
    expect(emittedEvents(fixture)).toEqual(['session.rejected: account_denied']);
    expect(await isTokenUnused(fixture)).toBe(true);
  });

  it('keeps the account of the session if it requests none', async () => {
    const { fixture, token } = await createLogin(grantFixture(), { accountId: 2 });
    const { accessToken } = await refresh(fixture, token);
    const verified = await fixture.accessTokens.verify(accessToken);
    expect(verified).toMatchObject({ info: { accountId: 2 } });
  });
});

describe('a refresh for scopes', () => {
  it('issues the requested scopes, and all granted scopes if the next refresh requests none', async () => {
    const { fixture, token } = await createLogin();
    const { scopes, refreshToken } = await refresh(fixture, token, { scopes: ['user'] });
    expect(scopes).toEqual(['user']);
    expect((await refresh(fixture, refreshToken)).scopes).toEqual(['user', 'admin']);
  });

  it('issues neither a scope that the user has lost nor the scope auth', async () => {
    const { fixture, token } = await createLogin(grantFixture(), {
      scopes: ['user', 'admin', 'auth'],
    });
    fixture.changeUser({ scopes: ['user', 'auth'] });
    expect((await refresh(fixture, token)).scopes).toEqual(['user']);
  });

  it('drops lost scopes if the client repeats the scopes of the login', async () => {
    const scopes = ['user', 'admin', 'auth'] as const;
    const { fixture, token } = await createLogin(grantFixture(), { scopes: [...scopes] });
    expect((await refresh(fixture, token, { scopes })).scopes).toEqual(['user', 'admin']);
    fixture.changeUser({ scopes: ['user', 'auth'] });
    expect((await refresh(fixture, token, { scopes })).scopes).toEqual(['user']);
  });

  it.each([
    ['more scopes than were granted', ['user', 'internal'] as const, {}],
    ['a scope that the user has but the session was not granted', ['user', 'auth'] as const, {}],
    ['a scope that the user has lost', ['admin'] as const, { scopes: ['user'] as const }],
    ['the granted scopes, all of which the user has lost', undefined, { scopes: [] }],
  ])('is rejected for %s, and consumes no token', async (_, scopes, change) => {
    const { fixture, token } = await createLogin();
    fixture.changeUser(change);
    const rejection = refresh(fixture, token, { scopes });
    await expect(rejection).rejects.toMatchObject({ code: 'invalid_scope' });
    expect(emittedEvents(fixture)).toEqual(['session.rejected: scope_denied']);
    expect(await isTokenUnused(fixture)).toBe(true);
  });
});

const EXCESS_REQUESTS = [
  ['excess scopes', 'invalid_scope', { scopes: ['user', 'internal'] }],
  ['an account of another user', 'access_denied', { accountId: 99 }],
] as const;

describe('a refresh that requests more than the session was granted', () => {
  it.each(EXCESS_REQUESTS)(
    'is rejected with invalid_grant if the session has ended (requests %s)',
    async (_what, _code, request) => {
      const { fixture, token } = await createLogin();
      await fixture.deps.sessions.revokeAll('ada');
      await expect(refresh(fixture, token, request)).rejects.toMatchObject(INVALID_TOKEN);
      expect(emittedEvents(fixture)).toEqual(['session.rejected: ended']);
    },
  );

  it.each(EXCESS_REQUESTS)(
    'ends the session if the token is reused (requests %s)',
    async (_what, _code, request) => {
      const { fixture, token } = await createLogin();
      const successor = await refresh(fixture, token);
      const newest = await refresh(fixture, successor.refreshToken);
      await expect(refresh(fixture, token, request)).rejects.toMatchObject(INVALID_TOKEN);
      await expect(refresh(fixture, newest.refreshToken)).rejects.toMatchObject(INVALID_TOKEN);
      expect(emittedEvents(fixture).slice(2)).toEqual([
        'session.reused',
        'session.rejected: revoked',
      ]);
    },
  );

  it.each(EXCESS_REQUESTS)(
    'leaves the session alive if the token is the predecessor within the grace (requests %s)',
    async (_what, code, request) => {
      const { fixture, token } = await createLogin();
      const { refreshToken } = await refresh(fixture, token);
      await expect(refresh(fixture, token, request)).rejects.toMatchObject({ code });
      await refresh(fixture, refreshToken);
    },
  );

  it.each(EXCESS_REQUESTS)(
    'does not rotate the session if the token is ahead of the storage (requests %s)',
    async (_what, code, request) => {
      const { fixture, session } = await createLogin();
      const token = fixture.deps.refreshTokens.sign({ ...session, generation: 2 });
      await expect(refresh(fixture, token, request)).rejects.toMatchObject({ code });
      expect(await isTokenUnused(fixture)).toBe(true);
    },
  );

  it('ends the session if the token is the predecessor after the grace', async () => {
    const { fixture, token } = await createLogin();
    const { refreshToken } = await refresh(fixture, token);
    fixture.advance(fixture.deps.policy.rotation.graceMs + 1);
    await expect(refresh(fixture, token, { accountId: 99 })).rejects.toMatchObject(INVALID_TOKEN);
    await expect(refresh(fixture, refreshToken)).rejects.toMatchObject(INVALID_TOKEN);
  });

  it('is rejected as unavailable, without an event, if the storage is unavailable', async () => {
    const { fixture, token } = await createLogin();
    const unavailableDeps = { sessions: { ...fixture.deps.sessions, list: rejectUnavailable } };
    const rejection = refresh(fixture, token, { scopes: ['internal'] }, unavailableDeps);
    await expect(rejection).rejects.toBe(unavailable);
    expect(emittedEvents(fixture)).toEqual([]);
  });
});

describe('a token for one account that is longer than maxTokenChars', () => {
  it('is rejected with server_error, and consumes no refresh token', async () => {
    const { fixture, token } = await createLogin();
    const rejection = refresh(fixture, token, { accountId: 1, maxTokenChars: 300 });
    await expect(rejection).rejects.toMatchObject({
      code: 'server_error',
      details: { where: 'host', reason: expect.stringContaining('accessTokenClaims') },
    });
    expect(await isTokenUnused(fixture)).toBe(true);
  });
});

describe('a user with more accounts than a token can hold', () => {
  it('gets no token for all accounts, but a token for one account by the same refresh token', async () => {
    const { fixture, token } = await createLogin();
    fixture.changeUser({ accounts: MANY_ACCOUNTS });
    await expect(refresh(fixture, token)).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.stringContaining('account_id'),
    });
    expect(emittedEvents(fixture)).toEqual(['session.rejected: too_many_accounts']);
    expect(await isTokenUnused(fixture)).toBe(true);
    const { accessToken, accounts } = await refresh(fixture, token, { accountId: 7 });
    expect(accounts).toEqual(MANY_ACCOUNTS);
    expect(await fixture.accessTokens.verify(accessToken)).toMatchObject({
      info: { accounts: [7], accountId: 7 },
    });
  });

  it('can refresh a session that is bound to one account', async () => {
    const { fixture, token } = await createLogin(grantFixture(), { accountId: 2 });
    fixture.changeUser({ accounts: MANY_ACCOUNTS });
    expect((await refresh(fixture, token)).accounts).toEqual(MANY_ACCOUNTS);
  });

  it('gets invalid_grant if the session has ended', async () => {
    const { fixture, token, session } = await createLogin();
    fixture.changeUser({ accounts: MANY_ACCOUNTS });
    await fixture.deps.sessions.revoke(session);
    await expect(refresh(fixture, token)).rejects.toMatchObject(INVALID_TOKEN);
    expect(emittedEvents(fixture)).toEqual(['session.rejected: ended']);
  });

  it('is rejected only if the token would be too long even with the actual amr of the session', async () => {
    const { fixture, token } = await createLogin();
    const accounts = mostAccountsThatFit(fixture);
    fixture.changeUser({ accounts });
    const countingDeps = countListings(fixture);
    await refresh(fixture, token, {}, countingDeps);
    // The short amr of the session had to be looked up.
    expect(countingDeps.listings()).toBe(1);
    fixture.changeUser({ accounts: [...accounts, 1_000_000, 1_000_001] });
    await expect(refresh(fixture, token)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is rejected for too many accounts after one look-up of the session', async () => {
    const { fixture, token } = await createLogin();
    fixture.changeUser({ accounts: MANY_ACCOUNTS });
    const countingDeps = countListings(fixture);
    const rejection = refresh(fixture, token, {}, countingDeps);
    await expect(rejection).rejects.toMatchObject({ code: 'invalid_request' });
    expect(countingDeps.listings()).toBe(1);
  });
});

/** Replaces the session store of a fixture by one that counts the calls of `list`. */
function countListings({ deps: { sessions } }: GrantFixture) {
  let count = 0;
  return {
    listings: () => count,
    sessions: {
      rotate: sessions.rotate.bind(sessions),
      list: (userId: string) => {
        count += 1;
        return sessions.list(userId);
      },
    },
  };
}

/** The largest number of accounts that fit into a token with the `amr` `['pwd']`. */
function mostAccountsThatFit({ deps }: GrantFixture): readonly number[] {
  const accounts = [...MANY_ACCOUNTS];
  const content = { scopes: ['user', 'admin'] as const, accountId: null, amr: ['pwd'] };
  const fits = () =>
    deps.tokenFits({
      claims: {},
      ...content,
      user: { id: 'ada', passwordHash: null, accounts },
      authTimeMs: deps.clock.nowMs(),
    });
  while (!fits()) accounts.pop();
  return accounts;
}

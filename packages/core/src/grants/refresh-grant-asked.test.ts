import { describe, expect, it } from 'vitest';
import {
  emitted,
  type GrantScene,
  grantScene,
  MANY_ACCOUNTS,
  rejectUnavailable,
  unavailable,
} from './grant-scene.test.support.ts';
import { DEAD, isUnused, loggedIn, refresh } from './refresh-scene.test.support.ts';

describe('a refresh for an account', () => {
  it('picks one of the user’s where the session is bound to none', async () => {
    const { scene, token } = await loggedIn();
    const { accessToken } = await refresh(scene, token, { accountId: 2 });
    const verified = await scene.accessTokens.verify(accessToken);
    expect(verified).toMatchObject({ info: { accountId: 2 } });
    // The session itself stays bound to none.
    expect(await scene.deps.sessions.list('ada')).toMatchObject([{ accountId: null }]);
  });

  it.each([
    ['one that is not the user’s', undefined, 99, { code: 'access_denied' }],
    ['another than the bound one', 2, 1, { code: 'invalid_request' }],
    ['a foreign one, while bound', 2, 99, { code: 'invalid_request' }],
  ])('is refused %s, and consumes nothing', async (_, bound, accountId, refusal) => {
    const { scene, token } = await loggedIn(grantScene(), bound ? { accountId: bound } : {});
    await expect(refresh(scene, token, { accountId })).rejects.toMatchObject(refusal);
    expect(emitted(scene)).toEqual(['session.refused: account_denied']);
    expect(await isUnused(scene)).toBe(true);
  });

  it('keeps to the bound one where none is named', async () => {
    const { scene, token } = await loggedIn(grantScene(), { accountId: 2 });
    const { accessToken } = await refresh(scene, token);
    const verified = await scene.accessTokens.verify(accessToken);
    expect(verified).toMatchObject({ info: { accountId: 2 } });
  });
});

describe('a refresh for scopes', () => {
  it('gives fewer where fewer are asked for, and all again the next time', async () => {
    const { scene, token } = await loggedIn();
    const first = await refresh(scene, token, { scopes: ['user'] });
    expect(first.scopes).toEqual(['user']);
    expect((await refresh(scene, first.refreshToken)).scopes).toEqual(['user', 'admin']);
  });

  it('gives neither what the user has lost, nor what is for the moment after a login', async () => {
    const { scene, token } = await loggedIn(grantScene(), { scopes: ['user', 'admin', 'auth'] });
    scene.change({ scopes: ['user', 'auth'] });
    expect((await refresh(scene, token)).scopes).toEqual(['user']);
  });

  it('drops what was granted and is gone since, for clients that repeat what they asked for', async () => {
    const scopes = ['user', 'admin', 'auth'] as const;
    const { scene, token } = await loggedIn(grantScene(), { scopes: [...scopes] });
    expect((await refresh(scene, token, { scopes })).scopes).toEqual(['user', 'admin']);
    scene.change({ scopes: ['user', 'auth'] });
    expect((await refresh(scene, token, { scopes })).scopes).toEqual(['user']);
  });

  it.each([
    ['more than was granted', ['user', 'internal'] as const, {}],
    ['what the user has, and the session was not granted', ['user', 'auth'] as const, {}],
    ['what the user has lost', ['admin'] as const, { scopes: ['user'] as const }],
    ['what was granted, where none of it is left', undefined, { scopes: [] }],
  ])('is refused %s, and consumes nothing', async (_, scopes, change) => {
    const { scene, token } = await loggedIn();
    scene.change(change);
    const refused = refresh(scene, token, { scopes });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_scope' });
    expect(emitted(scene)).toEqual(['session.refused: scope_denied']);
    expect(await isUnused(scene)).toBe(true);
  });
});

const BEYOND = [
  ['scopes', 'invalid_scope', { scopes: ['user', 'internal'] }],
  ['an account', 'access_denied', { accountId: 99 }],
] as const;

describe('a session that is asked for what it cannot give', () => {
  it.each(BEYOND)(
    'is said to be over where it is, though asked for %s that it never had',
    async (_what, _code, asked) => {
      const { scene, token } = await loggedIn();
      await scene.deps.sessions.revokeAll('ada');
      await expect(refresh(scene, token, asked)).rejects.toMatchObject(DEAD);
      expect(emitted(scene)).toEqual(['session.refused: ended']);
    },
  );

  it.each(BEYOND)(
    'ends where the token is reused, though that asks for %s that it never had',
    async (_what, _code, asked) => {
      const { scene, token } = await loggedIn();
      const second = await refresh(scene, token);
      const third = await refresh(scene, second.refreshToken);
      await expect(refresh(scene, token, asked)).rejects.toMatchObject(DEAD);
      await expect(refresh(scene, third.refreshToken)).rejects.toMatchObject(DEAD);
      expect(emitted(scene).slice(2)).toEqual(['session.reused', 'session.refused: revoked']);
    },
  );

  it.each(BEYOND)(
    'lives on where the predecessor, within the grace, asks for %s that it never had',
    async (_what, code, asked) => {
      const { scene, token } = await loggedIn();
      const { refreshToken } = await refresh(scene, token);
      await expect(refresh(scene, token, asked)).rejects.toMatchObject({ code });
      await refresh(scene, refreshToken);
    },
  );

  it.each(BEYOND)(
    'is not rotated where a token ahead of the storage asks for %s that it never had',
    async (_what, code, asked) => {
      const { scene, session } = await loggedIn();
      const ahead = scene.deps.refreshTokens.seal({ ...session, generation: 2 });
      await expect(refresh(scene, ahead, asked)).rejects.toMatchObject({ code });
      expect(await isUnused(scene)).toBe(true);
    },
  );

  it('ends where the predecessor comes after the grace', async () => {
    const { scene, token } = await loggedIn();
    const { refreshToken } = await refresh(scene, token);
    scene.turn(scene.deps.policy.rotation.graceMs + 1);
    await expect(refresh(scene, token, { accountId: 99 })).rejects.toMatchObject(DEAD);
    await expect(refresh(scene, refreshToken)).rejects.toMatchObject(DEAD);
  });

  it('is said to be neither alive nor over while the storage is unavailable', async () => {
    const { scene, token } = await loggedIn();
    const silent = { sessions: { ...scene.deps.sessions, list: rejectUnavailable } };
    const refused = refresh(scene, token, { scopes: ['internal'] }, silent);
    await expect(refused).rejects.toBe(unavailable);
    expect(emitted(scene)).toEqual([]);
  });
});

describe('a user who has got more accounts than a token can name', () => {
  it('is refused a token for all of them, consumes nothing, and gets one for one of them', async () => {
    const { scene, token } = await loggedIn();
    scene.change({ accounts: MANY_ACCOUNTS });
    const refused = { code: 'invalid_request', description: expect.stringContaining('account_id') };
    await expect(refresh(scene, token)).rejects.toMatchObject(refused);
    expect(emitted(scene)).toEqual(['session.refused: too_many_accounts']);
    expect(await isUnused(scene)).toBe(true);
    const { accessToken, accounts } = await refresh(scene, token, { accountId: 7 });
    expect(accounts).toEqual(MANY_ACCOUNTS);
    expect(await scene.accessTokens.verify(accessToken)).toMatchObject({
      info: { accounts: [7], accountId: 7 },
    });
  });

  it('goes on with a session that is bound to one of them', async () => {
    const { scene, token } = await loggedIn(grantScene(), { accountId: 2 });
    scene.change({ accounts: MANY_ACCOUNTS });
    expect((await refresh(scene, token)).accounts).toEqual(MANY_ACCOUNTS);
  });

  it('is told that the session has ended, where it has', async () => {
    const { scene, token, session } = await loggedIn();
    scene.change({ accounts: MANY_ACCOUNTS });
    await scene.deps.sessions.revoke(session);
    await expect(refresh(scene, token)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual(['session.refused: ended']);
  });

  it('is refused for the amr of the session alone: none shorter is taken for it', async () => {
    const { scene, token } = await loggedIn();
    const { sessions } = scene.deps;
    const fit = mostThatFit(scene);
    scene.change({ accounts: fit });
    let listed = 0;
    const counting = {
      rotate: sessions.rotate.bind(sessions),
      list: (userId: string) => {
        listed += 1;
        return sessions.list(userId);
      },
    };
    await refresh(scene, token, {}, { sessions: counting });
    // Its own amr is short: that had to be looked up.
    expect(listed).toBe(1);
    scene.change({ accounts: [...fit, 1_000_000, 1_000_001] });
    await expect(refresh(scene, token)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

/** As many accounts as fit beside an `amr` of one password. */
function mostThatFit({ deps }: GrantScene): readonly number[] {
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

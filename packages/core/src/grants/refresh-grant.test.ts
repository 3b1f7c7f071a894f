import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../keys/secret-ring.ts';
import { createRefreshTokens, type RefreshTokenContent } from '../sessions/refresh-token.ts';
import {
  CLIENT,
  emittedEvents,
  type GrantFixture,
  grantFixture,
  rejectUnavailable,
  SECRET,
  unavailable,
} from './grant-fixture.test.support.ts';
import {
  createLogin,
  INVALID_TOKEN,
  isTokenUnused,
  refresh,
  SESSION_ID,
} from './refresh-fixture.test.support.ts';

describe('a refresh', () => {
  it('exchanges a token for its successor, and emits session.refreshed', async () => {
    const { fixture, token } = await createLogin();
    const tokens = await refresh(fixture, token);
    const successor = fixture.deps.refreshTokens.verify(tokens.refreshToken);
    expect(successor?.content).toMatchObject({ sessionId: SESSION_ID, generation: 2 });
    expect(tokens.scopes).toEqual(['user', 'admin']);
    expect(fixture.events).toEqual([
      {
        type: 'session.refreshed',
        userId: 'ada',
        sessionId: SESSION_ID,
        generation: 2,
        replayed: false,
        ...CLIENT,
      },
    ]);
  });

  it('rejects a forged token without a call of the user store or the storage', async () => {
    const { fixture, token, session } = await createLogin();
    const forger = createRefreshTokens(createSecretRing([Buffer.alloc(32, 2)]));
    const failingDeps = {
      users: { findById: rejectUnavailable },
      sessions: { rotate: rejectUnavailable, list: rejectUnavailable },
    };
    const forgeries = ['', 'lh_rt_', `${token}x`, token.slice(0, -2), forger.sign(session)];
    for (const forgery of forgeries) {
      await expect(refresh(fixture, forgery, {}, failingDeps)).rejects.toMatchObject(INVALID_TOKEN);
    }
    expect(emittedEvents(fixture)).toEqual([]);
  });

  it('signs the successor with the secret of its predecessor, even if a newer secret exists', async () => {
    const fixture = grantFixture({ secrets: [Buffer.alloc(32, 9), SECRET] });
    const { session } = await createLogin(fixture);
    const oldRing = createSecretRing([SECRET]);
    const tokens = await refresh(fixture, createRefreshTokens(oldRing).sign(session));
    const verified = fixture.deps.refreshTokens.verify(tokens.refreshToken);
    expect(verified?.secretId).toBe(oldRing.newest);
  });
});

describe('a refresh that looks up the user', () => {
  it.each<[reason: string, change: (fixture: GrantFixture) => void]>([
    ['user_gone', (fixture) => fixture.removeUser()],
    ['user_disabled', (fixture) => fixture.changeUser({ disabled: true })],
    ['membership_lost', (fixture) => fixture.changeUser({ accounts: [1] })],
    [
      'password_changed',
      (fixture) => fixture.changeUser({ passwordChangedAtMs: Number.MAX_VALUE }),
    ],
  ])('is rejected for %s, and consumes no token', async (reason, change) => {
    const { fixture, token } = await createLogin(grantFixture(), { accountId: 2 });
    change(fixture);
    await expect(refresh(fixture, token)).rejects.toMatchObject(INVALID_TOKEN);
    expect(emittedEvents(fixture)).toEqual([`session.rejected: ${reason}`]);
    expect(await isTokenUnused(fixture)).toBe(true);
  });

  it('consumes no token while the user store is unavailable', async () => {
    const { fixture, token } = await createLogin();
    const rejection = refresh(fixture, token, {}, { users: { findById: rejectUnavailable } });
    await expect(rejection).rejects.toBe(unavailable);
    expect(emittedEvents(fixture)).toEqual([]);
    expect(await isTokenUnused(fixture)).toBe(true);
  });
});

describe('a refresh', () => {
  it('is rejected if its session is revoked between the user look-up and the rotation', async () => {
    const { fixture, token } = await createLogin();
    const { users, sessions } = fixture.deps;
    const findById = async (userId: string) => {
      const user = await users.findById(userId);
      await sessions.revokeAll(userId);
      return user;
    };
    await expect(refresh(fixture, token, {}, { users: { findById } })).rejects.toMatchObject(
      INVALID_TOKEN,
    );
    expect(emittedEvents(fixture)).toEqual(['session.rejected: revoked']);
  });

  it('is rejected if its session has been idle for too long', async () => {
    const refreshIdleSeconds = 60;
    const { fixture, token } = await createLogin(
      grantFixture({ lifetimes: { refreshIdleSeconds } }),
    );
    fixture.advance(1000 * refreshIdleSeconds);
    await expect(refresh(fixture, token)).rejects.toMatchObject(INVALID_TOKEN);
    expect(emittedEvents(fixture)).toEqual(['session.rejected: expired']);
  });

  it('is rejected if the storage does not know its session', async () => {
    const { token } = await createLogin();
    const fixture = grantFixture();
    await expect(refresh(fixture, token)).rejects.toMatchObject(INVALID_TOKEN);
    expect(emittedEvents(fixture)).toEqual(['session.rejected: unknown']);
  });

  it.each<[what: string, content: Partial<RefreshTokenContent>]>([
    ['scopes', { scopes: ['user'] }],
    ['account', { accountId: 2 }],
  ])('is rejected if the token and the stored session differ in the %s', async (_, content) => {
    const { fixture, session } = await createLogin();
    const token = fixture.deps.refreshTokens.sign({ ...session, ...content });
    await expect(refresh(fixture, token)).rejects.toMatchObject(INVALID_TOKEN);
    expect(emittedEvents(fixture)).toEqual(['session.rejected: grant_mismatch']);
  });

  it('succeeds, and emits session.rolled_forward, if the storage has lost rotations', async () => {
    const { fixture, session } = await createLogin();
    const token = fixture.deps.refreshTokens.sign({ ...session, generation: 7 });
    const { refreshToken } = await refresh(fixture, token);
    const successor = fixture.deps.refreshTokens.verify(refreshToken);
    expect(successor?.content.generation).toBe(8);
    expect(emittedEvents(fixture)).toEqual(['session.rolled_forward', 'session.refreshed']);
  });
});

describe('a refresh token that is presented again', () => {
  it('yields the same successor within the grace, and events with replayed: true', async () => {
    const { fixture, token } = await createLogin();
    const refreshes = await Promise.all([1, 2, 3].map(() => refresh(fixture, token)));
    expect(new Set(refreshes.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    const replayedFlags = fixture.events.map((event) => 'replayed' in event && event.replayed);
    expect(replayedFlags).toEqual([false, true, true]);
  });

  it('yields the successor of a rotation whose result was lost on the way from the storage', async () => {
    const { fixture, token } = await createLogin();
    const { sessions } = fixture.deps;
    const rotate: typeof sessions.rotate = async (request) => {
      await sessions.rotate(request);
      throw unavailable;
    };
    const lostRefresh = refresh(fixture, token, {}, { sessions: { ...sessions, rotate } });
    await expect(lostRefresh).rejects.toBe(unavailable);
    const { refreshToken } = await refresh(fixture, token);
    const successor = fixture.deps.refreshTokens.verify(refreshToken);
    expect(successor?.content.generation).toBe(2);
    expect(fixture.events).toMatchObject([{ type: 'session.refreshed', replayed: true }]);
  });

  it('ends the session after the grace, so that the successor is rejected too', async () => {
    const { fixture, token } = await createLogin();
    const { refreshToken } = await refresh(fixture, token);
    fixture.advance(fixture.deps.policy.rotation.graceMs + 1);
    await expect(refresh(fixture, token)).rejects.toMatchObject(INVALID_TOKEN);
    await expect(refresh(fixture, refreshToken)).rejects.toMatchObject(INVALID_TOKEN);
    expect(emittedEvents(fixture)).toEqual([
      'session.refreshed',
      'session.reused',
      'session.rejected: revoked',
    ]);
  });

  it('is rejected with too_many_requests beyond replayLimit, while the session lives on', async () => {
    const { fixture, token } = await createLogin();
    const { policy } = fixture.deps;
    const strictDeps = { policy: { ...policy, rotation: { ...policy.rotation, replayLimit: 1 } } };
    await refresh(fixture, token, {}, strictDeps);
    const { refreshToken } = await refresh(fixture, token, {}, strictDeps);
    await expect(refresh(fixture, token, {}, strictDeps)).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 1 },
    });
    expect(fixture.events.at(-1)).toMatchObject({ type: 'session.rejected', reason: 'busy' });
    await refresh(fixture, refreshToken, {}, strictDeps);
  });
});

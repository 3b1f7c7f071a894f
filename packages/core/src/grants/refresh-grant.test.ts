import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../keys/secret-ring.ts';
import { createRefreshTokens, type RefreshTokenContent } from '../sessions/refresh-token.ts';
import {
  CLIENT,
  emitted,
  type GrantFixture,
  grantFixture,
  rejectUnavailable,
  SECRET,
  unavailable,
} from './grant-fixture.test.support.ts';
import { DEAD, isUnused, loggedIn, refresh, SESSION_ID } from './refresh-fixture.test.support.ts';

describe('a refresh', () => {
  it('exchanges a token for its successor, and emits session.refreshed', async () => {
    const { fixture, token } = await loggedIn();
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

  it('rejects a forged token without asking the user store or the storage', async () => {
    const { fixture, token, session } = await loggedIn();
    const forger = createRefreshTokens(createSecretRing([Buffer.alloc(32, 2)]));
    const nobody = {
      users: { findById: rejectUnavailable },
      sessions: { rotate: rejectUnavailable, list: rejectUnavailable },
    };
    for (const bad of ['', 'lh_rt_', `${token}x`, token.slice(0, -2), forger.sign(session)]) {
      await expect(refresh(fixture, bad, {}, nobody)).rejects.toMatchObject(DEAD);
    }
    expect(emitted(fixture)).toEqual([]);
  });

  it('signs the successor with the secret of its predecessor, even if a newer secret exists', async () => {
    const fixture = grantFixture({ secrets: [Buffer.alloc(32, 9), SECRET] });
    const { session } = await loggedIn(fixture);
    const before = createSecretRing([SECRET]);
    const tokens = await refresh(fixture, createRefreshTokens(before).sign(session));
    const verified = fixture.deps.refreshTokens.verify(tokens.refreshToken);
    expect(verified?.secretId).toBe(before.newest);
  });
});

describe('a refresh that looks up the user', () => {
  it.each<[reason: string, change: (fixture: GrantFixture) => void]>([
    ['user_gone', (fixture) => fixture.remove()],
    ['user_disabled', (fixture) => fixture.change({ disabled: true })],
    ['membership_lost', (fixture) => fixture.change({ accounts: [1] })],
    ['password_changed', (fixture) => fixture.change({ passwordChangedAtMs: Number.MAX_VALUE })],
  ])('is rejected for %s, and consumes no token', async (reason, change) => {
    const { fixture, token } = await loggedIn(grantFixture(), { accountId: 2 });
    change(fixture);
    await expect(refresh(fixture, token)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual([`session.rejected: ${reason}`]);
    expect(await isUnused(fixture)).toBe(true);
  });

  it('consumes no token while the user store is unavailable', async () => {
    const { fixture, token } = await loggedIn();
    const rejected = refresh(fixture, token, {}, { users: { findById: rejectUnavailable } });
    await expect(rejected).rejects.toBe(unavailable);
    expect(emitted(fixture)).toEqual([]);
    expect(await isUnused(fixture)).toBe(true);
  });
});

describe('a refresh of a session that', () => {
  it('was revoked between the look-up and the rotation is rejected', async () => {
    const { fixture, token } = await loggedIn();
    const { users, sessions } = fixture.deps;
    const findById = async (userId: string) => {
      const user = await users.findById(userId);
      await sessions.revokeAll(userId);
      return user;
    };
    await expect(refresh(fixture, token, {}, { users: { findById } })).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual(['session.rejected: revoked']);
  });

  it('has been idle for too long is rejected', async () => {
    const { fixture, token } = await loggedIn(
      grantFixture({ lifetimes: { refreshIdleSeconds: 60 } }),
    );
    fixture.turn(60_000);
    await expect(refresh(fixture, token)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual(['session.rejected: expired']);
  });

  it('is unknown to the storage is rejected', async () => {
    const { token } = await loggedIn();
    const fixture = grantFixture();
    await expect(refresh(fixture, token)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual(['session.rejected: unknown']);
  });

  it.each<[what: string, signed: Partial<RefreshTokenContent>]>([
    ['other scopes', { scopes: ['user'] }],
    ['another account', { accountId: 2 }],
  ])('has %s in the storage than in its token is rejected', async (_, signed) => {
    const { fixture, session } = await loggedIn();
    const token = fixture.deps.refreshTokens.sign({ ...session, ...signed });
    await expect(refresh(fixture, token)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual(['session.rejected: grant_mismatch']);
  });

  it('has lost rotations in the storage succeeds, and emits session.rolled_forward', async () => {
    const { fixture, session } = await loggedIn();
    const token = fixture.deps.refreshTokens.sign({ ...session, generation: 7 });
    const { refreshToken } = await refresh(fixture, token);
    const successor = fixture.deps.refreshTokens.verify(refreshToken);
    expect(successor?.content.generation).toBe(8);
    expect(emitted(fixture)).toEqual(['session.rolled_forward', 'session.refreshed']);
  });
});

describe('a refresh token that is presented again', () => {
  it('returns the same successor within the grace, and is emitted as replayed', async () => {
    const { fixture, token } = await loggedIn();
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => refresh(fixture, token)));
    expect(others.map(({ refreshToken }) => refreshToken)).toEqual([
      first?.refreshToken,
      first?.refreshToken,
    ]);
    const replayed = fixture.events.map((event) => 'replayed' in event && event.replayed);
    expect(replayed).toEqual([false, true, true]);
  });

  it('returns the successor of a rotation whose response from the storage was lost', async () => {
    const { fixture, token } = await loggedIn();
    const { sessions } = fixture.deps;
    const rotate: typeof sessions.rotate = async (request) => {
      await sessions.rotate(request);
      throw unavailable;
    };
    const lost = refresh(fixture, token, {}, { sessions: { ...sessions, rotate } });
    await expect(lost).rejects.toBe(unavailable);
    const { refreshToken } = await refresh(fixture, token);
    const successor = fixture.deps.refreshTokens.verify(refreshToken);
    expect(successor?.content.generation).toBe(2);
    expect(fixture.events).toMatchObject([{ type: 'session.refreshed', replayed: true }]);
  });

  it('ends the session after the grace, so that the successor is rejected, too', async () => {
    const { fixture, token } = await loggedIn();
    const { refreshToken } = await refresh(fixture, token);
    fixture.turn(fixture.deps.policy.rotation.graceMs + 1);
    await expect(refresh(fixture, token)).rejects.toMatchObject(DEAD);
    await expect(refresh(fixture, refreshToken)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual([
      'session.refreshed',
      'session.reused',
      'session.rejected: revoked',
    ]);
  });

  it('beyond replayLimit is rejected with a retry-after, and does not end the session', async () => {
    const { fixture, token } = await loggedIn();
    const { policy } = fixture.deps;
    const stingy = { policy: { ...policy, rotation: { ...policy.rotation, replayLimit: 1 } } };
    await refresh(fixture, token, {}, stingy);
    const { refreshToken } = await refresh(fixture, token, {}, stingy);
    await expect(refresh(fixture, token, {}, stingy)).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 1 },
    });
    expect(fixture.events.at(-1)).toMatchObject({ type: 'session.rejected', reason: 'busy' });
    await refresh(fixture, refreshToken, {}, stingy);
  });
});

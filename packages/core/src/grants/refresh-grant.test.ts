import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../keys/secret-ring.ts';
import { createRefreshTokens, type RefreshTokenContent } from '../sessions/refresh-token.ts';
import {
  CLIENT,
  emitted,
  type GrantScene,
  grantScene,
  rejectUnavailable,
  SECRET,
  unavailable,
} from './grant-scene.test.support.ts';
import { DEAD, isUnused, loggedIn, refresh, SESSION_ID } from './refresh-scene.test.support.ts';

describe('a refresh', () => {
  it('exchanges a token for its successor, and emits that', async () => {
    const { scene, token } = await loggedIn();
    const tokens = await refresh(scene, token);
    const successor = scene.deps.refreshTokens.open(tokens.refreshToken);
    expect(successor?.content).toMatchObject({ sessionId: SESSION_ID, generation: 2 });
    expect(tokens.scopes).toEqual(['user', 'admin']);
    expect(scene.events).toEqual([
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

  it('asks nobody about a token that we did not make', async () => {
    const { scene, token, session } = await loggedIn();
    const forger = createRefreshTokens(createSecretRing([Buffer.alloc(32, 2)]));
    const nobody = {
      users: { findById: rejectUnavailable },
      sessions: { rotate: rejectUnavailable, list: rejectUnavailable },
    };
    for (const bad of ['', 'lh_rt_', `${token}x`, token.slice(0, -2), forger.seal(session)]) {
      await expect(refresh(scene, bad, {}, nobody)).rejects.toMatchObject(DEAD);
    }
    expect(emitted(scene)).toEqual([]);
  });

  it('is sealed with the secret of its predecessor, while another is the newest', async () => {
    const scene = grantScene({ secrets: [Buffer.alloc(32, 9), SECRET] });
    const { session } = await loggedIn(scene);
    const before = createSecretRing([SECRET]);
    const tokens = await refresh(scene, createRefreshTokens(before).seal(session));
    const opened = scene.deps.refreshTokens.open(tokens.refreshToken);
    expect(opened?.secretId).toBe(before.newest);
  });
});

describe('a refresh that the directory objects to', () => {
  it.each<[reason: string, change: (scene: GrantScene) => void]>([
    ['user_gone', (scene) => scene.remove()],
    ['user_disabled', (scene) => scene.change({ disabled: true })],
    ['membership_lost', (scene) => scene.change({ accounts: [1] })],
    ['password_changed', (scene) => scene.change({ passwordChangedAtMs: Number.MAX_VALUE })],
  ])('is refused for %s, and consumes nothing', async (reason, change) => {
    const { scene, token } = await loggedIn(grantScene(), { accountId: 2 });
    change(scene);
    await expect(refresh(scene, token)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual([`session.refused: ${reason}`]);
    expect(await isUnused(scene)).toBe(true);
  });

  it('consumes nothing while the directory is unavailable', async () => {
    const { scene, token } = await loggedIn();
    const refused = refresh(scene, token, {}, { users: { findById: rejectUnavailable } });
    await expect(refused).rejects.toBe(unavailable);
    expect(emitted(scene)).toEqual([]);
    expect(await isUnused(scene)).toBe(true);
  });
});

describe('a refresh of a session that', () => {
  it('was revoked between the look-up and the rotation is refused', async () => {
    const { scene, token } = await loggedIn();
    const { users, sessions } = scene.deps;
    const findById = async (userId: string) => {
      const user = await users.findById(userId);
      await sessions.revokeAll(userId);
      return user;
    };
    await expect(refresh(scene, token, {}, { users: { findById } })).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual(['session.refused: revoked']);
  });

  it('has been idle for too long is refused', async () => {
    const { scene, token } = await loggedIn(grantScene({ lifetimes: { refreshIdleSeconds: 60 } }));
    scene.turn(60_000);
    await expect(refresh(scene, token)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual(['session.refused: expired']);
  });

  it('the storage has never heard of is refused', async () => {
    const { token } = await loggedIn();
    const scene = grantScene();
    await expect(refresh(scene, token)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual(['session.refused: unknown']);
  });

  it.each<[what: string, sealed: Partial<RefreshTokenContent>]>([
    ['scopes', { scopes: ['user'] }],
    ['account', { accountId: 2 }],
  ])('has other %s in the storage than in its token is refused', async (_, sealed) => {
    const { scene, session } = await loggedIn();
    const token = scene.deps.refreshTokens.seal({ ...session, ...sealed });
    await expect(refresh(scene, token)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual(['session.refused: grant_mismatch']);
  });

  it('has rotations that the storage has lost goes on, and that is emitted', async () => {
    const { scene, session } = await loggedIn();
    const token = scene.deps.refreshTokens.seal({ ...session, generation: 7 });
    const { refreshToken } = await refresh(scene, token);
    const successor = scene.deps.refreshTokens.open(refreshToken);
    expect(successor?.content.generation).toBe(8);
    expect(emitted(scene)).toEqual(['session.rolled_forward', 'session.refreshed']);
  });
});

describe('a refresh token that comes again', () => {
  it('is answered the same successor within the grace, and emitted as replayed', async () => {
    const { scene, token } = await loggedIn();
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => refresh(scene, token)));
    expect(others.map(({ refreshToken }) => refreshToken)).toEqual([
      first?.refreshToken,
      first?.refreshToken,
    ]);
    const replayed = scene.events.map((event) => 'replayed' in event && event.replayed);
    expect(replayed).toEqual([false, true, true]);
  });

  it('is answered the successor whose answer was lost on its way from the storage', async () => {
    const { scene, token } = await loggedIn();
    const { sessions } = scene.deps;
    const rotate: typeof sessions.rotate = async (request) => {
      await sessions.rotate(request);
      throw unavailable;
    };
    const lost = refresh(scene, token, {}, { sessions: { ...sessions, rotate } });
    await expect(lost).rejects.toBe(unavailable);
    const { refreshToken } = await refresh(scene, token);
    const successor = scene.deps.refreshTokens.open(refreshToken);
    expect(successor?.content.generation).toBe(2);
    expect(scene.events).toMatchObject([{ type: 'session.refreshed', replayed: true }]);
  });

  it('ends the session after the grace, for its successor too', async () => {
    const { scene, token } = await loggedIn();
    const { refreshToken } = await refresh(scene, token);
    scene.turn(scene.deps.policy.rotation.graceMs + 1);
    await expect(refresh(scene, token)).rejects.toMatchObject(DEAD);
    await expect(refresh(scene, refreshToken)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual([
      'session.refreshed',
      'session.reused',
      'session.refused: revoked',
    ]);
  });

  it('over and over is answered with a time to wait, and ends nothing', async () => {
    const { scene, token } = await loggedIn();
    const { policy } = scene.deps;
    const stingy = { policy: { ...policy, rotation: { ...policy.rotation, replayLimit: 1 } } };
    await refresh(scene, token, {}, stingy);
    const { refreshToken } = await refresh(scene, token, {}, stingy);
    await expect(refresh(scene, token, {}, stingy)).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 1 },
    });
    expect(scene.events.at(-1)).toMatchObject({ type: 'session.refused', reason: 'busy' });
    await refresh(scene, refreshToken, {}, stingy);
  });
});

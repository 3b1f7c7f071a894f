import { describe, expect, it, vi } from 'vitest';
import {
  CLIENT,
  emitted,
  type GrantScene,
  grantScene,
  MANY_ACCOUNTS,
  PASSWORD,
  rejectUnavailable,
  sessionsOf,
  unavailable,
} from './grant-scene.test.support.ts';
import type { PasswordGrantDeps } from './password-grant.ts';
import { logIn, WRONG } from './password-scene.test.support.ts';

describe('a login by password', () => {
  it('begins a session that says how and when the user was authenticated', async () => {
    const scene = grantScene();
    const outcome = await logIn(scene, { accountId: 2, scopes: ['user', 'admin'] });
    if (outcome.outcome !== 'issued') throw new Error(outcome.outcome);
    const [session] = await sessionsOf(scene);
    const { refreshToken, accessToken } = outcome.tokens;
    expect(session).toMatchObject({ amr: ['pwd'], accountId: 2, ...CLIENT, generation: 1 });
    expect(session?.authTimeMs).toBe(scene.deps.clock.nowMs());
    expect(outcome.tokens.accounts).toEqual([1, 2]);
    expect(scene.deps.refreshTokens.open(refreshToken)?.content).toMatchObject({
      sessionId: session?.sessionId,
      generation: 1,
    });
    expect(await scene.accessTokens.verify(accessToken)).toMatchObject({
      outcome: 'valid',
      info: { userId: 'ada', accountId: 2, accounts: [2], sessionId: session?.sessionId },
    });
    expect(scene.events).toMatchObject([{ type: 'login.succeeded', amr: ['pwd'], actor: 'user' }]);
  });

  it.each([
    ['unknown_user', (scene: GrantScene) => scene.remove()],
    ['wrong_password', (scene: GrantScene) => scene.change({ passwordHash: 'plain:another' })],
    ['disabled', (scene: GrantScene) => scene.change({ disabled: true })],
    ['unusable_hash', (scene: GrantScene) => scene.change({ passwordHash: null })],
  ])('is refused in the same words for %s, which only the event tells', async (reason, change) => {
    const scene = grantScene();
    change(scene);
    // An account and a scope that are not ada's: without the password, nothing is said of them.
    const refused = logIn(scene, { accountId: 99, scopes: ['internal'] });
    await expect(refused).rejects.toMatchObject(WRONG);
    expect(emitted(scene)).toEqual([`login.failed: ${reason}`]);
  });

  it.each([
    ['account_denied', 'access_denied', { accountId: 99 }, [1, 2]],
    ['scope_denied', 'invalid_scope', { scopes: ['internal'] as const }, [1, 2]],
    ['too_many_accounts', 'invalid_request', {}, MANY_ACCOUNTS],
  ])('is refused for %s once the password was right, and starts nothing', async (...expected) => {
    const [reason, code, request, accounts] = expected;
    for (const hasFactor of [false, true]) {
      const scene = grantScene();
      scene.change({ accounts });
      if (hasFactor) scene.addFactor();
      await expect(logIn(scene, request)).rejects.toMatchObject({ code });
      expect(emitted(scene)).toEqual([`login.failed: ${reason}`]);
      expect(await sessionsOf(scene)).toEqual([]);
    }
  });

  it('rehashes a right password, but not a wrong one', async () => {
    const scene = grantScene();
    const rehash = vi.fn();
    await logIn(scene, { password: 'wrong' }, { rehash }).catch(() => {});
    expect(rehash).not.toHaveBeenCalled();
    await logIn(scene, {}, { rehash });
    expect(rehash).toHaveBeenCalledWith(expect.objectContaining({ id: 'ada' }), PASSWORD, CLIENT);
  });
});

describe('a login by password of a user with a second factor', () => {
  it('leaves a challenge, and begins no session', async () => {
    const scene = grantScene({ lifetimes: { challengeSeconds: 120 } });
    scene.addFactor();
    const outcome = await logIn(scene, { accountId: 2, version: 'v1' });
    if (outcome.outcome !== 'challenged') throw new Error(outcome.outcome);
    const { challenge, ...pending } = outcome.pending;
    expect(pending).toEqual({ expiresInSeconds: 120, methods: ['totp'] });
    const ref = scene.deps.challengeTokens.open(challenge);
    if (ref === null) throw new Error('the challenge cannot be opened');
    const { challenges, policy, clock } = scene.deps;
    const context = {
      accountId: 2,
      version: 'v1',
      authTimeMs: clock.nowMs(),
      amr: ['pwd'],
      actor: 'user',
    };
    expect(await challenges.reserveAttempt(ref, policy.attempts)).toMatchObject({ context });
    expect(await sessionsOf(scene)).toEqual([]);
    expect(emitted(scene)).toEqual(['challenge.created']);
  });

  it('offers recovery codes where there are any', async () => {
    const scene = grantScene();
    const consumeRecoveryCode = async () => true;
    const factorOf = async () => ({ totpSecret: '', usedUpToStep: 0, consumeRecoveryCode });
    const outcome = await logIn(scene, {}, { factorOf });
    expect(outcome).toMatchObject({ pending: { methods: ['totp', 'recovery_code'] } });
  });

  it('lets nobody in without it where it cannot be read', async () => {
    const scene = grantScene();
    await expect(logIn(scene, {}, { factorOf: rejectUnavailable })).rejects.toBe(unavailable);
    expect(await sessionsOf(scene)).toEqual([]);
    expect(emitted(scene)).toEqual([]);
  });
});

describe('a login by password that a revocation overtakes', () => {
  /** Revokes everything of ada's while her password is verified, which takes `ms` before and after. */
  function revokedMeanwhile(scene: GrantScene, ms = 20): Partial<PasswordGrantDeps> {
    const { passwords, sessions } = scene.deps;
    return {
      passwords: {
        ...passwords,
        async verify(...login) {
          scene.turn(ms);
          await sessions.revokeAll('ada');
          scene.turn(ms);
          return passwords.verify(...login);
        },
      },
    };
  }

  it.each([false, true])('is refused like a wrong password (second factor: %s)', async (has) => {
    const scene = grantScene();
    if (has) scene.addFactor();
    const login = logIn(scene, {}, revokedMeanwhile(scene));
    await expect(login).rejects.toMatchObject(WRONG);
    expect(emitted(scene)).toEqual(['login.failed: revoked_meanwhile']);
    expect(await sessionsOf(scene)).toEqual([]);
  });

  it.each([false, true])(
    'is refused even within a millisecond (second factor: %s)',
    async (has) => {
      const scene = grantScene();
      if (has) scene.addFactor();
      const login = logIn(scene, {}, revokedMeanwhile(scene, 0.25));
      await expect(login).rejects.toMatchObject(WRONG);
    },
  );

  it('is refused where the user was read before it, but not where it was read after', async () => {
    const scene = grantScene();
    const { users, sessions } = scene.deps;
    const whileReading: Partial<PasswordGrantDeps> = {
      users: {
        ...users,
        async findByUsername(name) {
          const user = await users.findByUsername(name);
          await sessions.revokeAll('ada');
          scene.turn(20);
          return user;
        },
      },
    };
    await expect(logIn(scene, {}, whileReading)).rejects.toMatchObject(WRONG);
    expect(await logIn(scene)).toMatchObject({ outcome: 'issued' });
  });
});

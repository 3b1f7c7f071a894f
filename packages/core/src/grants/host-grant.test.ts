import { describe, expect, it, vi } from 'vitest';
import {
  CLIENT,
  emitted,
  type GrantScene,
  grantScene,
  MANY_ACCOUNTS,
  rejectUnavailable,
  sessionsOf,
  unavailable,
} from './grant-scene.test.support.ts';
import { createHostGrant, type HostGrantDeps, type HostGrantRequest } from './host-grant.ts';

const vouched: HostGrantRequest = {
  userId: 'ada',
  amr: ['fed'],
  authTimeMs: undefined,
  accountId: null,
  scopes: ['user'],
  expirationSeconds: undefined,
  version: 'v2',
  client: CLIENT,
};

/** Logs ada in, with some of its deps replaced. */
function logIn(
  { deps }: GrantScene,
  request: Partial<HostGrantRequest> = {},
  replaced: Partial<HostGrantDeps> = {},
) {
  return createHostGrant({ ...deps, ...replaced })({ ...vouched, ...request });
}

/** The context of the challenge that a login left. */
async function contextOf(scene: GrantScene, login: Awaited<ReturnType<typeof logIn>>) {
  if (login.outcome !== 'challenged') throw new Error(login.outcome);
  const { challengeTokens, challenges, policy } = scene.deps;
  const ref = challengeTokens.open(login.pending.challenge);
  if (ref === null) throw new Error('the challenge cannot be opened');
  const attempt = await challenges.reserveAttempt(ref, policy.attempts);
  return attempt.outcome === 'reserved' ? attempt.context : attempt;
}

describe('a login that the host vouches for', () => {
  it('begins a session that says how and when the host authenticated the user', async () => {
    const scene = grantScene();
    const authTimeMs = scene.deps.clock.nowMs() - 3_600_000;
    const asked = { amr: ['fed', 'kba'], authTimeMs, accountId: 2, scopes: ['admin'] as const };
    const login = await logIn(scene, { ...asked, expirationSeconds: 700 });
    if (login.outcome !== 'issued') throw new Error(login.outcome);
    const { scopes, amr } = asked;
    expect(login.tokens).toMatchObject({ scopes, expiresInSeconds: 700, accounts: [1, 2] });
    const [session] = await sessionsOf(scene);
    expect(session).toMatchObject({ amr, authTimeMs, accountId: 2, scopes, ...CLIENT });
    const { sessionId } = session ?? {};
    expect(await scene.accessTokens.verify(login.tokens.accessToken)).toMatchObject({
      info: { userId: 'ada', sessionId, amr, authTimeMs, accountId: 2 },
    });
    expect(scene.events).toEqual([
      {
        type: 'login.succeeded',
        userId: 'ada',
        sessionId,
        accountId: 2,
        scopes,
        amr,
        actor: 'host',
        ...CLIENT,
      },
    ]);
  });

  it.each([undefined, 1])(
    'was authenticated now, at the latest (said: %s later)',
    async (later) => {
      const scene = grantScene();
      const nowMs = scene.deps.clock.nowMs();
      await logIn(scene, { authTimeMs: later && nowMs + later });
      expect(await sessionsOf(scene)).toMatchObject([{ authTimeMs: nowMs }]);
    },
  );

  it('counts neither for nor against the user, and checks no password', async () => {
    const scene = grantScene();
    scene.change({ passwordHash: null });
    const { throttle, passwords } = scene.deps;
    const asked = [
      vi.spyOn(throttle, 'admit'),
      vi.spyOn(throttle, 'succeeded'),
      vi.spyOn(passwords, 'verify'),
    ];
    expect(await logIn(scene)).toMatchObject({ outcome: 'issued' });
    for (const spy of asked) expect(spy).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<HostGrantRequest>, (scene: GrantScene) => void]>([
    ['unknown_user', {}, (scene) => scene.remove()],
    ['disabled', {}, (scene) => scene.change({ disabled: true })],
    ['account_denied', { accountId: 99 }, () => {}],
    ['scope_denied', { scopes: ['internal'] }, () => {}],
    ['too_many_accounts', {}, (scene) => scene.change({ accounts: MANY_ACCOUNTS })],
  ])('is refused for %s, with or without a second factor, and starts nothing', async (...row) => {
    const [reason, request, change] = row;
    for (const hasFactor of [false, true]) {
      const scene = grantScene();
      if (hasFactor) scene.addFactor();
      change(scene);
      expect(await logIn(scene, request)).toEqual({ outcome: 'refused', reason });
      expect(scene.events).toEqual([
        {
          type: 'login.failed',
          username: null,
          userId: 'ada',
          reason,
          actor: 'host',
          ...CLIENT,
        },
      ]);
      expect(await sessionsOf(scene)).toEqual([]);
    }
  });

  it('is refused where the password is newer than what the host saw', async () => {
    const scene = grantScene();
    const nowMs = scene.deps.clock.nowMs();
    scene.change({ passwordChangedAtMs: nowMs });
    const earlier = { authTimeMs: nowMs - 1 };
    const reason = 'password_changed';
    expect(await logIn(scene, earlier)).toEqual({ outcome: 'refused', reason });
    expect(emitted(scene)).toEqual([`login.failed: ${reason}`]);
    expect(await logIn(scene)).toMatchObject({ outcome: 'issued' });
  });

  it.each<[part: string, replaced: Partial<HostGrantDeps>]>([
    ['the directory', { users: { findById: rejectUnavailable } }],
    ['the storage of sessions', { sessions: { create: rejectUnavailable } }],
    ['the storage of factors', { factorOf: rejectUnavailable }],
  ])('is neither granted nor refused while a part is unavailable: %s', async (_, replaced) => {
    const scene = grantScene();
    await expect(logIn(scene, {}, replaced)).rejects.toBe(unavailable);
    expect(emitted(scene)).toEqual([]);
    expect(await sessionsOf(scene)).toEqual([]);
  });
});

describe('the scope auth, of a login that the host vouches for', () => {
  it.each([
    [300_000, 'issued'],
    [300_001, 'refused'],
  ])('is for users authenticated five minutes ago at most (%i ms: %s)', async (ms, outcome) => {
    const scene = grantScene();
    const authTimeMs = scene.deps.clock.nowMs() - ms;
    const login = await logIn(scene, { authTimeMs, scopes: ['user', 'auth'] });
    expect(login.outcome).toBe(outcome);
    const expected = outcome === 'issued' ? 'login.succeeded' : 'login.failed: scope_denied';
    expect(emitted(scene)).toEqual([expected]);
  });
});

describe('a login that the host vouches for, of a user with a second factor', () => {
  it('leaves a challenge that remembers what the host said, and begins no session', async () => {
    const scene = grantScene();
    scene.addFactor();
    const authTimeMs = scene.deps.clock.nowMs() - 1000;
    const asked = { accountId: 2, version: 'v1', amr: ['email'], authTimeMs } as const;
    const login = await logIn(scene, asked);
    expect(await contextOf(scene, login)).toEqual({ ...asked, actor: 'host' });
    expect(await sessionsOf(scene)).toEqual([]);
    expect(scene.events).toEqual([
      { type: 'challenge.created', userId: 'ada', actor: 'host', ...CLIENT },
    ]);
  });

  it('is asked for no code where the host has seen several factors', async () => {
    const scene = grantScene();
    scene.addFactor();
    expect(
      await logIn(scene, { amr: ['pop', 'mfa'] }, { factorOf: rejectUnavailable }),
    ).toMatchObject({
      outcome: 'issued',
    });
    expect(await sessionsOf(scene)).toMatchObject([{ amr: ['pop', 'mfa'] }]);
  });
});

describe('a login that the host vouches for and a revocation overtakes', () => {
  /** Revokes everything of ada's before or after she is looked up. */
  function revoking(scene: GrantScene, when: 'before' | 'after'): Partial<HostGrantDeps> {
    const { users, sessions } = scene.deps;
    return {
      users: {
        async findById(userId) {
          const user = when === 'before' ? null : await users.findById(userId);
          await sessions.revokeAll('ada');
          scene.turn(20);
          return user ?? users.findById(userId);
        },
      },
    };
  }

  it.each([
    ['before', false],
    ['before', true],
    ['after', false],
    ['after', true],
  ] as const)('%s the user is read, is refused (second factor: %s)', async (when, hasFactor) => {
    const scene = grantScene();
    if (hasFactor) scene.addFactor();
    const reason = 'revoked_meanwhile';
    expect(await logIn(scene, {}, revoking(scene, when))).toEqual({ outcome: 'refused', reason });
    expect(emitted(scene)).toEqual([`login.failed: ${reason}`]);
    expect(await sessionsOf(scene)).toEqual([]);
  });

  it('is not refused where it began after, though the user was authenticated before', async () => {
    const scene = grantScene();
    const authTimeMs = scene.deps.clock.nowMs();
    scene.turn(20);
    await scene.deps.sessions.revokeAll('ada');
    scene.turn(20);
    expect(await logIn(scene, { authTimeMs })).toMatchObject({ outcome: 'issued' });
  });
});

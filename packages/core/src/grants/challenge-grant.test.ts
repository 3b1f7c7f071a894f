import { describe, expect, it, vi } from 'vitest';
import {
  type ChallengeGrantDeps,
  type ChallengeGrantRequest,
  createChallengeGrant,
} from './challenge-grant.ts';
import { challenged, scenery } from './challenge-scene.test.support.ts';
import {
  CLIENT,
  emitted,
  type GrantScene,
  grantScene,
  rejectUnavailable,
  unavailable,
} from './grant-scene.test.support.ts';

const DEAD = { code: 'invalid_grant', description: 'The challenge is not valid.' };
const WRONG_CODE = { code: 'invalid_grant', description: 'The code is wrong.' };
const RECOVERY_CODE = 'AAAA-BBBB-CCCC-DDDD';

/** Answers a challenge, with some of its deps replaced. */
function answer(
  scene: GrantScene,
  challenge: string,
  request: Partial<ChallengeGrantRequest> = {},
  replaced: Partial<ChallengeGrantDeps> = {},
) {
  return createChallengeGrant({ ...scene.deps, ...replaced })({
    challenge,
    code: scene.codeIn(0),
    scopes: ['user'],
    expirationSeconds: undefined,
    client: CLIENT,
    ...request,
  });
}

/** A code that is not that of a step around now. */
function wrongCode(scene: GrantScene): string {
  const near = [-1, 0, 1].map(scene.codeIn);
  return ['000000', '111111', '222222', '333333'].find((code) => !near.includes(code)) ?? '';
}

/** How many attempts a wrong code leaves, which shows how many there were. */
async function attemptsLeftAfterOneMore(scene: GrantScene, challenge: string): Promise<unknown> {
  await answer(scene, challenge, { code: wrongCode(scene) }).catch(() => {});
  const event = scene.events.findLast(({ type }) => type === 'challenge.failed');
  return event && 'attemptsRemaining' in event ? event.attemptsRemaining : undefined;
}

describe('the answer to a challenge', () => {
  it('begins the session of the login, in its account and representation', async () => {
    const scene = grantScene();
    const challenge = await challenged(scene, { accountId: 2 });
    const authTimeMs = scene.deps.clock.nowMs();
    scene.turn(30_000);
    const { tokens, version } = await answer(scene, challenge, { scopes: ['user', 'auth'] });
    expect(version).toBe('v1');
    expect(tokens.scopes).toEqual(['user', 'auth']);
    const [session] = await scene.deps.sessions.list('ada');
    expect(session).toMatchObject({ accountId: 2, amr: ['pwd', 'otp'], authTimeMs, ...CLIENT });
    expect(scene.events).toMatchObject([
      {
        type: 'login.succeeded',
        sessionId: session?.sessionId,
        accountId: 2,
        actor: 'user',
        ...CLIENT,
      },
    ]);
  });

  it('adds the code to what the host has seen, and claims no password', async () => {
    const scene = grantScene();
    const challenge = await challenged(scene, { amr: ['fed', 'kba'], actor: 'host' });
    await answer(scene, challenge);
    const amr = ['fed', 'kba', 'otp'];
    expect(await scene.deps.sessions.list('ada')).toMatchObject([{ amr }]);
    expect(scene.events).toMatchObject([{ type: 'login.succeeded', amr, actor: 'host' }]);
  });

  it('works once', async () => {
    const { scene, challenge } = await scenery();
    await answer(scene, challenge);
    scene.turn(30_000);
    await expect(answer(scene, challenge)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual(['login.succeeded', 'challenge.failed: gone']);
  });

  it('comes too late once the challenge has expired', async () => {
    const { scene, challenge } = await scenery({ lifetimes: { challengeSeconds: 30 } });
    scene.turn(30_000);
    await expect(answer(scene, challenge)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual(['challenge.failed: gone']);
  });

  it('by a recovery code is recorded as such in the session', async () => {
    const { scene, challenge } = await scenery();
    const consumeRecoveryCode = vi.fn(async () => true);
    const factorOf = async () => ({ totpSecret: '', usedUpToStep: 0, consumeRecoveryCode });
    await answer(scene, challenge, { code: RECOVERY_CODE.toLowerCase() }, { factorOf });
    expect(consumeRecoveryCode.mock.calls).toEqual([['AAAABBBBCCCCDDDD']]);
    const sessions = await scene.deps.sessions.list('ada');
    expect(sessions).toMatchObject([{ amr: ['pwd', 'mfa'] }]);
  });
});

describe('an answer that costs no attempt', () => {
  it('has a malformed code: nobody is asked', async () => {
    const { scene, challenge } = await scenery();
    const nobody = { users: { findById: rejectUnavailable }, factorOf: rejectUnavailable };
    for (const code of ['', '12345', '1234567', 1_000_000, -1, 'AAAA-BBBB']) {
      const refused = answer(scene, challenge, { code }, nobody);
      await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(await attemptsLeftAfterOneMore(scene, challenge)).toBe(4);
  });

  it('is to a challenge that we did not make: nobody is asked', async () => {
    const { scene, challenge } = await scenery();
    const nobody = { users: { findById: rejectUnavailable } };
    await expect(answer(scene, `${challenge}x`, {}, nobody)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual([]);
  });

  it.each<[reason: string, change: (scene: GrantScene) => void]>([
    ['user_gone', (scene) => scene.remove()],
    ['user_disabled', (scene) => scene.change({ disabled: true })],
    ['factor_gone', (scene) => scene.change({ mfa: null })],
  ])('is refused for %s since the password was right', async (reason, change) => {
    const { scene, challenge } = await scenery();
    change(scene);
    await expect(answer(scene, challenge)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual([`challenge.failed: ${reason}`]);
    scene.change({ disabled: false });
    scene.addFactor();
    expect(await attemptsLeftAfterOneMore(scene, challenge)).toBe(4);
  });

  it('asks for a scope that the user does not have', async () => {
    const { scene, challenge } = await scenery();
    const refused = answer(scene, challenge, { scopes: ['internal'] });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_scope' });
    expect(emitted(scene)).toEqual(['challenge.failed: scope_denied']);
    expect(await attemptsLeftAfterOneMore(scene, challenge)).toBe(4);
  });

  it.each<[part: string, replaced: (scene: GrantScene) => Partial<ChallengeGrantDeps>]>([
    ['the directory', () => ({ users: { findById: rejectUnavailable } })],
    ['what knows the factor', () => ({ factorOf: rejectUnavailable })],
    [
      'the storage',
      (scene) => ({ challenges: { ...methodsOf(scene), reserveAttempt: rejectUnavailable } }),
    ],
  ])('comes while %s is unavailable', async (_, replaced) => {
    const { scene, challenge } = await scenery();
    await expect(answer(scene, challenge, {}, replaced(scene))).rejects.toBe(unavailable);
    expect(emitted(scene)).toEqual([]);
    expect(await attemptsLeftAfterOneMore(scene, challenge)).toBe(4);
  });
});

describe('an answer whose login is not good any more', () => {
  it.each<[reason: string, code: string, change: Parameters<GrantScene['change']>[0]]>([
    ['password_changed', 'invalid_grant', { passwordChangedAtMs: Number.MAX_VALUE }],
    ['membership_lost', 'access_denied', { accounts: [1] }],
  ])('is refused for %s, though its code is right', async (reason, code, change) => {
    const scene = grantScene();
    const challenge = await challenged(scene, { accountId: 2 });
    scene.change(change);
    await expect(answer(scene, challenge)).rejects.toMatchObject({ code });
    expect(emitted(scene)).toEqual([`challenge.failed: ${reason}`]);
    expect(await scene.deps.sessions.list('ada')).toEqual([]);
  });

  it('is refused where everything is revoked while the code is looked at', async () => {
    const { scene, challenge } = await scenery();
    const { sessions } = scene.deps;
    const consumeRecoveryCode = async () => {
      await sessions.revokeAll('ada');
      return true;
    };
    const factorOf = async () => ({ totpSecret: '', usedUpToStep: 0, consumeRecoveryCode });
    const refused = answer(scene, challenge, { code: RECOVERY_CODE }, { factorOf });
    await expect(refused).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual(['challenge.failed: gone']);
    expect(await sessions.list('ada')).toEqual([]);
  });
});

describe('a wrong code', () => {
  it('tells how many attempts are left, until there are none', async () => {
    const { scene, challenge } = await scenery({ mfa: { attemptsPerChallenge: 2 } });
    for (const attemptsRemaining of [1, 0]) {
      const refused = answer(scene, challenge, { code: wrongCode(scene) });
      const details = { attemptsRemaining };
      await expect(refused).rejects.toMatchObject({ ...WRONG_CODE, details });
    }
    await expect(answer(scene, challenge)).rejects.toMatchObject(DEAD);
    expect(emitted(scene)).toEqual([
      'challenge.failed: wrong_code',
      'challenge.failed: wrong_code',
      'challenge.failed: gone',
    ]);
  });

  it('is any recovery code where the user has none', async () => {
    const { scene, challenge } = await scenery();
    const refused = answer(scene, challenge, { code: RECOVERY_CODE });
    await expect(refused).rejects.toMatchObject(WRONG_CODE);
  });

  it('locks the factor over all challenges when it is one too many', async () => {
    const { scene, challenge } = await scenery({ mfa: { failuresBeforeLock: 3, lockSeconds: 60 } });
    const other = await challenged(scene);
    for (const target of [challenge, challenge, other]) {
      await answer(scene, target, { code: wrongCode(scene) }).catch(() => {});
    }
    const untilMs = scene.deps.clock.nowMs() + 60_000;
    expect(scene.events.at(-1)).toMatchObject({ type: 'factor.locked', untilMs });
    scene.turn(20_500);
    await expect(answer(scene, other)).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 40 },
    });
    const refused = { type: 'factor.refused', retryAfterSeconds: 40, suspended: false };
    expect(scene.events.at(-1)).toMatchObject(refused);
    scene.turn(39_500);
    await answer(scene, other);
  });

  it('is a right one, too, whose step was used up when the factor was enrolled', async () => {
    const { scene, challenge } = await scenery();
    const { factorOf, clock } = scene.deps;
    const usedUpToStep = Math.floor(clock.nowMs() / 30_000);
    const replaced: Partial<ChallengeGrantDeps> = {
      factorOf: async (user) => {
        const factor = await factorOf(user);
        return factor && { ...factor, usedUpToStep };
      },
    };
    await expect(answer(scene, challenge, {}, replaced)).rejects.toMatchObject(WRONG_CODE);
    expect(emitted(scene)).toEqual(['challenge.failed: step_used']);
    scene.turn(30_000);
    await answer(scene, challenge, {}, replaced);
  });
});

describe('one code for two challenges at once', () => {
  it('completes one of them, and leaves the other to the next code', async () => {
    const { scene, challenge } = await scenery();
    const other = await challenged(scene);
    const both = [challenge, other].map((each) => answer(scene, each));
    const settled = await Promise.allSettled(both);
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([...emitted(scene)].sort()).toEqual(['challenge.failed: step_used', 'login.succeeded']);
    scene.turn(30_000);
    const loser = settled[0]?.status === 'rejected' ? challenge : other;
    await answer(scene, loser);
    expect(await scene.deps.sessions.list('ada')).toHaveLength(2);
  });
});

describe('a storage that fails when the code was right', () => {
  it('lets nobody in, and takes the same code again', async () => {
    const { scene, challenge } = await scenery();
    const challenges = { ...methodsOf(scene), complete: rejectUnavailable };
    await expect(answer(scene, challenge, {}, { challenges })).rejects.toBe(unavailable);
    expect(emitted(scene)).toEqual([]);
    await answer(scene, challenge);
    expect(await scene.deps.sessions.list('ada')).toHaveLength(1);
  });

  it('begins no second session where the first was stored and its answer lost', async () => {
    const { scene, challenge } = await scenery();
    const { complete, ...others } = methodsOf(scene);
    const challenges = {
      ...others,
      complete: (async (request) => {
        await complete(request);
        throw unavailable;
      }) satisfies typeof complete,
    };
    await expect(answer(scene, challenge, {}, { challenges })).rejects.toBe(unavailable);
    scene.turn(30_000);
    await expect(answer(scene, challenge)).rejects.toMatchObject(DEAD);
    expect(await scene.deps.sessions.list('ada')).toHaveLength(1);
  });
});

/** The store is an instance of a class, so spreading it would lose the methods. */
function methodsOf({ deps }: GrantScene): ChallengeGrantDeps['challenges'] {
  const { challenges } = deps;
  return {
    reserveAttempt: (...request) => challenges.reserveAttempt(...request),
    complete: (...request) => challenges.complete(...request),
  };
}

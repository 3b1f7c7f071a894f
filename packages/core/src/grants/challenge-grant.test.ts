import { describe, expect, it, vi } from 'vitest';
import {
  answer,
  challenged,
  DEAD,
  methodsOf,
  RECOVERY_CODE,
  scenery,
} from './challenge-scene.test.support.ts';
import {
  CLIENT,
  emitted,
  type GrantScene,
  grantScene,
  MANY_ACCOUNTS,
  rejectUnavailable,
  unavailable,
} from './grant-scene.test.support.ts';

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

describe('a user who has got more accounts than a token can name', () => {
  it('completes no challenge of a login for all of them, and consumes nothing', async () => {
    const { scene, challenge } = await scenery();
    scene.change({ accounts: MANY_ACCOUNTS });
    await expect(answer(scene, challenge)).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.stringContaining('account_id'),
    });
    expect(emitted(scene)).toEqual(['challenge.failed: too_many_accounts']);
    expect(await scene.deps.sessions.list('ada')).toEqual([]);
    scene.change({ accounts: [1, 2] });
    // Neither the challenge nor the code was used up.
    await answer(scene, challenge);
    expect(await scene.deps.sessions.list('ada')).toHaveLength(1);
  });

  it('completes one of a login for one of them', async () => {
    const scene = grantScene();
    const challenge = await challenged(scene, { accountId: 7 });
    scene.change({ accounts: MANY_ACCOUNTS });
    const { tokens } = await answer(scene, challenge);
    expect(tokens.accounts).toEqual(MANY_ACCOUNTS);
    expect(await scene.accessTokens.verify(tokens.accessToken)).toMatchObject({
      info: { accounts: [7], accountId: 7 },
    });
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

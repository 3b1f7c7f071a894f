import { describe, expect, it } from 'vitest';
import type { ChallengeGrantDeps } from './challenge-grant.ts';
import {
  answer,
  challenged,
  DEAD,
  methodsOf,
  RECOVERY_CODE,
  scenery,
  WRONG_CODE,
} from './challenge-scene.test.support.ts';
import {
  emitted,
  type GrantScene,
  rejectUnavailable,
  unavailable,
} from './grant-scene.test.support.ts';

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

import { describe, expect, it } from 'vitest';
import {
  emitted,
  type GrantScene,
  grantScene,
  rejectUnavailable,
  sessionsOf,
  unavailable,
} from './grant-scene.test.support.ts';
import type { PasswordGrantDeps } from './password-grant.ts';
import { logIn } from './password-scene.test.support.ts';

describe('a login by password while a part is unavailable', () => {
  it.each<[part: string, replaced: (scene: GrantScene) => Partial<PasswordGrantDeps>]>([
    ['the counters', ({ deps }) => ({ throttle: { ...deps.throttle, admit: rejectUnavailable } })],
    [
      'the directory',
      ({ deps }) => ({ users: { ...deps.users, findByUsername: rejectUnavailable } }),
    ],
    [
      'the verifier',
      ({ deps }) => ({ passwords: { ...deps.passwords, verify: rejectUnavailable } }),
    ],
    ['the storage of sessions', () => ({ sessions: { create: rejectUnavailable } })],
  ])('is neither right nor wrong: %s', async (_, replaced) => {
    const scene = grantScene();
    await expect(logIn(scene, {}, replaced(scene))).rejects.toBe(unavailable);
    expect(emitted(scene)).toEqual([]);
    expect(await sessionsOf(scene)).toEqual([]);
  });

  it('emits no challenge that cannot be stored', async () => {
    const scene = grantScene();
    scene.addFactor();
    await expect(logIn(scene, {}, { challenges: { create: rejectUnavailable } })).rejects.toBe(
      unavailable,
    );
    expect(emitted(scene)).toEqual([]);
  });

  it('is not answered as wrong where its failure could not be counted, but emitted', async () => {
    const scene = grantScene();
    const throttle = { ...scene.deps.throttle, failed: rejectUnavailable };
    const login = logIn(scene, { password: 'wrong' }, { throttle });
    await expect(login).rejects.toBe(unavailable);
    expect(emitted(scene)).toEqual(['login.failed: wrong_password']);
  });

  it('hands out no tokens where its success could not be counted', async () => {
    const scene = grantScene();
    const throttle = { ...scene.deps.throttle, succeeded: rejectUnavailable };
    await expect(logIn(scene, {}, { throttle })).rejects.toBe(unavailable);
  });
});

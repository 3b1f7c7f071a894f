import { describe, expect, it, vi } from 'vitest';
import { resolvePasswords } from '../options/resolve-passwords.ts';
import { createPasswordVerifier } from '../passwords/password-verifier.ts';
import { emitted, grantScene, PASSWORD, sessionsOf } from './grant-scene.test.support.ts';
import { logIn, WRONG } from './password-scene.test.support.ts';

describe('a login by password that is throttled', () => {
  it('is refused before anybody is asked, once it has failed ten times', async () => {
    const scene = grantScene();
    for (let nth = 0; nth < 10; nth += 1) {
      await expect(logIn(scene, { password: 'wrong' })).rejects.toMatchObject(WRONG);
    }
    const users = { findByUsername: vi.fn(), findById: vi.fn() };
    const throttled = logIn(scene, {}, { users });
    await expect(throttled).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 60 },
    });
    expect(users.findByUsername).not.toHaveBeenCalled();
    expect(scene.events.at(-1)).toMatchObject({ type: 'login.throttled', reason: 'identifier' });
  });

  it('is refused though its password is right where ten others have failed meanwhile', async () => {
    const scene = grantScene();
    const { passwords } = scene.deps;
    const tenFail = async () => {
      for (let nth = 0; nth < 10; nth += 1) {
        await logIn(scene, { password: 'wrong' }).catch(() => {});
      }
    };
    const verify: typeof passwords.verify = async (...login) => {
      const compared = await passwords.verify(...login);
      await tenFail();
      return compared;
    };
    const login = logIn(scene, {}, { passwords: { ...passwords, verify } });
    await expect(login).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(scene.events.at(-1)).toMatchObject({ type: 'login.throttled' });
    expect(await sessionsOf(scene)).toEqual([]);
  });

  it('does not count as failed where it was turned away unchecked', async () => {
    const scene = grantScene();
    // No place to wait in, and the only permit is taken.
    const busy = createPasswordVerifier(
      resolvePasswords({ verifier: () => new Promise(() => {}), concurrency: 1, maxWaitMs: 0 }),
    );
    void busy.verify(null, PASSWORD, null);
    const failed = vi.spyOn(scene.deps.throttle, 'failed');
    await expect(logIn(scene, {}, { passwords: busy })).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      details: { retryAfterSeconds: 1 },
    });
    expect(failed).not.toHaveBeenCalled();
    expect(emitted(scene)).toEqual(['login.shed: queue_full']);
  });
});

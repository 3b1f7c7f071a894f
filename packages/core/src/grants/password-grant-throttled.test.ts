import { describe, expect, it, vi } from 'vitest';
import { resolvePasswords } from '../options/resolve-passwords.ts';
import { createPasswordVerifier } from '../passwords/password-verifier.ts';
import { emittedEvents, grantFixture, PASSWORD, sessionsOf } from './grant-fixture.test.support.ts';
import { logIn, WRONG_PASSWORD } from './password-fixture.test.support.ts';

const FAILURES_BEFORE_LOCK = 10;

describe('a login by password that is throttled', () => {
  it('is rejected with too_many_requests, without a user look-up, after ten failures', async () => {
    const fixture = grantFixture();
    for (let i = 0; i < FAILURES_BEFORE_LOCK; i += 1) {
      await expect(logIn(fixture, { password: 'wrong' })).rejects.toMatchObject(WRONG_PASSWORD);
    }
    const users = { findByUsername: vi.fn(), findById: vi.fn() };
    const throttled = logIn(fixture, {}, { users });
    await expect(throttled).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 60 },
    });
    expect(users.findByUsername).not.toHaveBeenCalled();
    expect(fixture.events.at(-1)).toMatchObject({ type: 'login.throttled', reason: 'identifier' });
  });

  it('is rejected with too_many_requests if ten other logins failed during its verification', async () => {
    const fixture = grantFixture();
    const { passwords } = fixture.deps;
    const verify: typeof passwords.verify = async (...login) => {
      const comparison = await passwords.verify(...login);
      for (let i = 0; i < FAILURES_BEFORE_LOCK; i += 1) {
        await logIn(fixture, { password: 'wrong' }).catch(() => {});
      }
      return comparison;
    };
    const login = logIn(fixture, {}, { passwords: { ...passwords, verify } });
    await expect(login).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(fixture.events.at(-1)).toMatchObject({ type: 'login.throttled' });
    expect(await sessionsOf(fixture)).toEqual([]);
  });

  it('does not count as failed if load shedding rejected it before its password was checked', async () => {
    const fixture = grantFixture();
    // Nothing may wait, and the call below holds the only permit.
    const busyVerifier = createPasswordVerifier(
      resolvePasswords({ verifier: () => new Promise(() => {}), concurrency: 1, maxWaitMs: 0 }),
    );
    void busyVerifier.verify(null, PASSWORD, null);
    const countFailure = vi.spyOn(fixture.deps.throttle, 'failed');
    await expect(logIn(fixture, {}, { passwords: busyVerifier })).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      details: { retryAfterSeconds: 1 },
    });
    expect(countFailure).not.toHaveBeenCalled();
    expect(emittedEvents(fixture)).toEqual(['login.shed: queue_full']);
  });
});

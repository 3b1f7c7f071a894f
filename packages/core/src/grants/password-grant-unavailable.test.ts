import { describe, expect, it } from 'vitest';
import {
  emittedEvents,
  type GrantFixture,
  grantFixture,
  rejectUnavailable,
  sessionsOf,
  unavailable,
} from './grant-fixture.test.support.ts';
import { logIn } from './password-fixture.test.support.ts';
import type { PasswordGrantDeps } from './password-grant.ts';

describe('a login by password', () => {
  it.each<[part: string, replacedDeps: (fixture: GrantFixture) => Partial<PasswordGrantDeps>]>([
    ['the throttle', ({ deps }) => ({ throttle: { ...deps.throttle, admit: rejectUnavailable } })],
    [
      'the user store',
      ({ deps }) => ({ users: { ...deps.users, findByUsername: rejectUnavailable } }),
    ],
    [
      'the verifier',
      ({ deps }) => ({ passwords: { ...deps.passwords, verify: rejectUnavailable } }),
    ],
  ])(
    'is rejected as unavailable, without an event, if %s is unavailable',
    async (_, replacedDeps) => {
      const fixture = grantFixture();
      await expect(logIn(fixture, {}, replacedDeps(fixture))).rejects.toBe(unavailable);
      expect(emittedEvents(fixture)).toEqual([]);
      expect(await sessionsOf(fixture)).toEqual([]);
    },
  );

  it('emits no login.succeeded if the storage of sessions is unavailable', async () => {
    const fixture = grantFixture();
    const login = logIn(fixture, {}, { sessions: { create: rejectUnavailable } });
    await expect(login).rejects.toBe(unavailable);
    expect(emittedEvents(fixture)).toEqual(['login.new_address']);
    expect(await sessionsOf(fixture)).toEqual([]);
  });

  it('emits no challenge.created if the challenge cannot be stored', async () => {
    const fixture = grantFixture();
    fixture.addFactor();
    await expect(logIn(fixture, {}, { challenges: { create: rejectUnavailable } })).rejects.toBe(
      unavailable,
    );
    expect(emittedEvents(fixture)).toEqual(['login.new_address']);
  });

  it('is rejected as unavailable, with login.failed, if its failure cannot be counted', async () => {
    const fixture = grantFixture();
    const throttle = { ...fixture.deps.throttle, failed: rejectUnavailable };
    const login = logIn(fixture, { password: 'wrong' }, { throttle });
    await expect(login).rejects.toBe(unavailable);
    expect(emittedEvents(fixture)).toEqual(['login.failed: wrong_password']);
  });

  it('gets no tokens if its success cannot be counted', async () => {
    const fixture = grantFixture();
    const throttle = { ...fixture.deps.throttle, succeeded: rejectUnavailable };
    await expect(logIn(fixture, {}, { throttle })).rejects.toBe(unavailable);
  });
});

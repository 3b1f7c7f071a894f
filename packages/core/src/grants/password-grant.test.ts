import { describe, expect, it, vi } from 'vitest';
import {
  CLIENT,
  emittedEvents,
  type GrantFixture,
  grantFixture,
  MANY_ACCOUNTS,
  PASSWORD,
  rejectUnavailable,
  sessionsOf,
  unavailable,
} from './grant-fixture.test.support.ts';
import { logIn, WRONG_PASSWORD } from './password-fixture.test.support.ts';
import type { PasswordGrantDeps } from './password-grant.ts';

describe('a login by password', () => {
  it('begins a session with amr `pwd` and an authTimeMs of now', async () => {
    const fixture = grantFixture();
    const outcome = await logIn(fixture, { accountId: 2, scopes: ['user', 'admin'] });
    if (outcome.outcome !== 'issued') throw new Error(outcome.outcome);
    const [session] = await sessionsOf(fixture);
    const { refreshToken, accessToken } = outcome.tokens;
    expect(session).toMatchObject({ amr: ['pwd'], accountId: 2, ...CLIENT, generation: 1 });
    expect(session?.authTimeMs).toBe(fixture.deps.clock.nowMs());
    expect(outcome.tokens.accounts).toEqual([1, 2]);
    expect(fixture.deps.refreshTokens.verify(refreshToken)?.content).toMatchObject({
      sessionId: session?.sessionId,
      generation: 1,
    });
    expect(await fixture.accessTokens.verify(accessToken)).toMatchObject({
      outcome: 'valid',
      info: { userId: 'ada', accountId: 2, accounts: [2], sessionId: session?.sessionId },
    });
    expect(fixture.events).toMatchObject([
      { type: 'login.new_address', userId: 'ada', ...CLIENT },
      { type: 'login.succeeded', amr: ['pwd'], actor: 'user' },
    ]);
  });

  it('emits login.new_address once for each address from which the user logs in', async () => {
    const fixture = grantFixture();
    await logIn(fixture);
    await logIn(fixture);
    await logIn(fixture, { client: { ...CLIENT, clientAddress: '198.51.100.7' } });
    await logIn(fixture, { client: { ...CLIENT, clientAddress: null } });
    const newAddresses = fixture.events.filter(({ type }) => type === 'login.new_address');
    expect(newAddresses).toMatchObject([
      { clientAddress: CLIENT.clientAddress },
      { clientAddress: '198.51.100.7' },
    ]);
  });

  it.each([
    ['unknown_user', (fixture: GrantFixture) => fixture.removeUser()],
    [
      'wrong_password',
      (fixture: GrantFixture) => fixture.changeUser({ passwordHash: 'plain:another' }),
    ],
    ['disabled', (fixture: GrantFixture) => fixture.changeUser({ disabled: true })],
    ['unusable_hash', (fixture: GrantFixture) => fixture.changeUser({ passwordHash: null })],
  ])(
    'is rejected with the same error for %s, while the event has that reason',
    async (reason, change) => {
      const fixture = grantFixture();
      change(fixture);
      // Ada has neither the account nor the scope: without the password, the error must not reveal that.
      const rejection = logIn(fixture, { accountId: 99, scopes: ['internal'] });
      await expect(rejection).rejects.toMatchObject(WRONG_PASSWORD);
      expect(emittedEvents(fixture)).toEqual([`login.failed: ${reason}`]);
    },
  );

  it.each([
    ['account_denied', 'access_denied', { accountId: 99 }, [1, 2]],
    ['scope_denied', 'invalid_scope', { scopes: ['internal'] as const }, [1, 2]],
    ['too_many_accounts', 'invalid_request', {}, MANY_ACCOUNTS],
  ])('is rejected for %s after a right password, and begins no session', async (...expected) => {
    const [reason, code, request, accounts] = expected;
    for (const hasFactor of [false, true]) {
      const fixture = grantFixture();
      fixture.changeUser({ accounts });
      if (hasFactor) fixture.addFactor();
      await expect(logIn(fixture, request)).rejects.toMatchObject({ code });
      expect(emittedEvents(fixture)).toEqual(['login.new_address', `login.failed: ${reason}`]);
      expect(await sessionsOf(fixture)).toEqual([]);
    }
  });

  it('is rejected with server_error if the token for one account is longer than maxTokenChars', async () => {
    for (const hasFactor of [false, true]) {
      const fixture = grantFixture();
      if (hasFactor) fixture.addFactor();
      const rejection = logIn(fixture, { accountId: 1, maxTokenChars: 300 });
      await expect(rejection).rejects.toMatchObject({
        code: 'server_error',
        details: { where: 'host' },
      });
      expect(await sessionsOf(fixture)).toEqual([]);
    }
  });

  it('does not rehash a wrong password', async () => {
    const rehash = vi.fn();
    await logIn(grantFixture(), { password: 'wrong' }, { rehash }).catch(() => {});
    expect(rehash).not.toHaveBeenCalled();
  });

  it('rehashes a right password', async () => {
    const rehash = vi.fn();
    await logIn(grantFixture(), {}, { rehash });
    expect(rehash.mock.calls).toEqual([[expect.objectContaining({ id: 'ada' }), PASSWORD, CLIENT]]);
  });
});

describe('a login by password of a user with a second factor', () => {
  it('creates a challenge, and begins no session', async () => {
    const fixture = grantFixture({ lifetimes: { challengeSeconds: 120 } });
    fixture.addFactor();
    const outcome = await logIn(fixture, { accountId: 2, version: 'v1' });
    if (outcome.outcome !== 'challenged') throw new Error(outcome.outcome);
    const { challenge, ...pending } = outcome.pending;
    expect(pending).toEqual({ expiresInSeconds: 120, methods: ['totp'] });
    const ref = fixture.deps.challengeTokens.verify(challenge)?.ref;
    if (ref === undefined) throw new Error('the challenge cannot be verified');
    const { challenges, policy, clock } = fixture.deps;
    const context = {
      accountId: 2,
      version: 'v1',
      authTimeMs: clock.nowMs(),
      amr: ['pwd'],
      actor: 'user',
    };
    expect(await challenges.reserveAttempt(ref, policy.attempts)).toMatchObject({ context });
    expect(await sessionsOf(fixture)).toEqual([]);
    expect(emittedEvents(fixture)).toEqual(['login.new_address', 'challenge.created']);
  });

  it('offers recovery codes if the factor accepts them', async () => {
    const fixture = grantFixture();
    const consumeRecoveryCode = async () => true;
    const factorOf = async () => ({ totpSecret: '', usedUpToStep: 0, consumeRecoveryCode });
    const outcome = await logIn(fixture, {}, { factorOf });
    expect(outcome).toMatchObject({ pending: { methods: ['totp', 'recovery_code'] } });
  });

  it('is rejected as unavailable if the factor cannot be read', async () => {
    const fixture = grantFixture();
    await expect(logIn(fixture, {}, { factorOf: rejectUnavailable })).rejects.toBe(unavailable);
    expect(await sessionsOf(fixture)).toEqual([]);
    expect(emittedEvents(fixture)).toEqual(['login.new_address']);
  });
});

describe('a login by password, concurrent with a revocation', () => {
  /** A verifier that revokes all sessions of ada, with `ms` before and after the revocation. */
  function revokingVerifier(fixture: GrantFixture, ms = 20): Partial<PasswordGrantDeps> {
    const { passwords, sessions } = fixture.deps;
    return {
      passwords: {
        ...passwords,
        async verify(...login) {
          fixture.advance(ms);
          await sessions.revokeAll('ada');
          fixture.advance(ms);
          return passwords.verify(...login);
        },
      },
    };
  }

  it.each([false, true])(
    'is rejected with the error of a wrong password (second factor: %s)',
    async (hasFactor) => {
      const fixture = grantFixture();
      if (hasFactor) fixture.addFactor();
      const login = logIn(fixture, {}, revokingVerifier(fixture));
      await expect(login).rejects.toMatchObject(WRONG_PASSWORD);
      expect(emittedEvents(fixture)).toEqual([
        'login.new_address',
        'login.failed: revoked_meanwhile',
      ]);
      expect(await sessionsOf(fixture)).toEqual([]);
    },
  );

  it.each([false, true])(
    'is rejected even if login and revocation take less than a millisecond (second factor: %s)',
    async (hasFactor) => {
      const fixture = grantFixture();
      if (hasFactor) fixture.addFactor();
      const login = logIn(fixture, {}, revokingVerifier(fixture, 0.25));
      await expect(login).rejects.toMatchObject(WRONG_PASSWORD);
    },
  );

  it('is rejected if the user was read before the revocation, while a later login succeeds', async () => {
    const fixture = grantFixture();
    const { users, sessions } = fixture.deps;
    const revokingUsers: Partial<PasswordGrantDeps> = {
      users: {
        ...users,
        async findByUsername(name) {
          const user = await users.findByUsername(name);
          await sessions.revokeAll('ada');
          fixture.advance(20);
          return user;
        },
      },
    };
    await expect(logIn(fixture, {}, revokingUsers)).rejects.toMatchObject(WRONG_PASSWORD);
    expect(await logIn(fixture)).toMatchObject({ outcome: 'issued' });
  });
});

import { describe, expect, it, vi } from 'vitest';
import {
  CLIENT,
  emittedEvents,
  type GrantFixture,
  grantFixture,
  MANY_ACCOUNTS,
  rejectUnavailable,
  sessionsOf,
  unavailable,
} from './grant-fixture.test.support.ts';
import { createHostGrant, type HostGrantDeps, type HostGrantRequest } from './host-grant.ts';

const FIVE_MINUTES_MS = 300_000;
const HOUR_MS = 3_600_000;

const REQUEST: HostGrantRequest = {
  userId: 'ada',
  amr: ['fed'],
  authTimeMs: undefined,
  accountId: null,
  scopes: ['user'],
  expirationSeconds: undefined,
  version: 'v2',
  client: CLIENT,
};

/** Logs ada in, by a grant with these dependencies replaced. */
function logIn(
  { deps }: GrantFixture,
  request: Partial<HostGrantRequest> = {},
  replacedDeps: Partial<HostGrantDeps> = {},
) {
  return createHostGrant({ ...deps, ...replacedDeps })({ ...REQUEST, ...request });
}

/** The context of the challenge that a login led to. */
async function contextOf(fixture: GrantFixture, login: Awaited<ReturnType<typeof logIn>>) {
  if (login.outcome !== 'challenged') throw new Error(login.outcome);
  const { challengeTokens, challenges, policy } = fixture.deps;
  const ref = challengeTokens.verify(login.pending.challenge)?.ref;
  if (ref === undefined) throw new Error('the challenge cannot be verified');
  const attempt = await challenges.reserveAttempt(ref, policy.attempts);
  return attempt.outcome === 'reserved' ? attempt.context : attempt;
}

describe('a host login', () => {
  it('begins a session with the amr and the authTimeMs that the host passed', async () => {
    const fixture = grantFixture();
    const authTimeMs = fixture.deps.clock.nowMs() - HOUR_MS;
    const amr = ['fed', 'kba'];
    const scopes = ['admin'] as const;
    const request = { amr, authTimeMs, accountId: 2, scopes, expirationSeconds: 700 };
    const login = await logIn(fixture, request);
    if (login.outcome !== 'issued') throw new Error(login.outcome);
    expect(login.tokens).toMatchObject({ scopes, expiresInSeconds: 700, accounts: [1, 2] });
    const [session] = await sessionsOf(fixture);
    expect(session).toMatchObject({ amr, authTimeMs, accountId: 2, scopes, ...CLIENT });
    const { sessionId } = session ?? {};
    expect(await fixture.accessTokens.verify(login.tokens.accessToken)).toMatchObject({
      info: { userId: 'ada', sessionId, amr, authTimeMs, accountId: 2 },
    });
    expect(fixture.events).toEqual([
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

  it.each([
    ['none', undefined],
    ['a later one', 1],
  ])('has an authTimeMs of now if the host passes %s', async (_, aheadMs) => {
    const fixture = grantFixture();
    const nowMs = fixture.deps.clock.nowMs();
    await logIn(fixture, { authTimeMs: aheadMs && nowMs + aheadMs });
    expect(await sessionsOf(fixture)).toMatchObject([{ authTimeMs: nowMs }]);
  });

  it('calls neither the login throttle nor the password verifier', async () => {
    const fixture = grantFixture();
    fixture.changeUser({ passwordHash: null });
    const { throttle, passwords } = fixture.deps;
    const spies = [
      vi.spyOn(throttle, 'admit'),
      vi.spyOn(throttle, 'succeeded'),
      vi.spyOn(passwords, 'verify'),
    ];
    expect(await logIn(fixture)).toMatchObject({ outcome: 'issued' });
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<HostGrantRequest>, (fixture: GrantFixture) => void]>([
    ['unknown_user', {}, (fixture) => fixture.removeUser()],
    ['disabled', {}, (fixture) => fixture.changeUser({ disabled: true })],
    ['account_denied', { accountId: 99 }, () => {}],
    ['scope_denied', { scopes: ['internal'] }, () => {}],
    ['too_many_accounts', {}, (fixture) => fixture.changeUser({ accounts: MANY_ACCOUNTS })],
  ])(
    'is rejected for %s, with or without a second factor, and begins no session',
    async (...row) => {
      const [reason, request, change] = row;
      for (const hasFactor of [false, true]) {
        const fixture = grantFixture();
        if (hasFactor) fixture.addFactor();
        change(fixture);
        expect(await logIn(fixture, request)).toEqual({ outcome: 'rejected', reason });
        expect(fixture.events).toEqual([
          {
            type: 'login.failed',
            username: null,
            userId: 'ada',
            reason,
            actor: 'host',
            ...CLIENT,
          },
        ]);
        expect(await sessionsOf(fixture)).toEqual([]);
      }
    },
  );

  it('is rejected if the password changed after the host authenticated the user', async () => {
    const fixture = grantFixture();
    const nowMs = fixture.deps.clock.nowMs();
    fixture.changeUser({ passwordChangedAtMs: nowMs });
    const reason = 'password_changed';
    const login = await logIn(fixture, { authTimeMs: nowMs - 1 });
    expect(login).toEqual({ outcome: 'rejected', reason });
    expect(emittedEvents(fixture)).toEqual([`login.failed: ${reason}`]);
    expect(await logIn(fixture)).toMatchObject({ outcome: 'issued' });
  });

  it.each<[part: string, replacedDeps: Partial<HostGrantDeps>]>([
    ['the user store', { users: { findById: rejectUnavailable } }],
    ['the storage of sessions', { sessions: { create: rejectUnavailable } }],
    ['the storage of factors', { factorOf: rejectUnavailable }],
  ])(
    'is rejected as unavailable, without an event, if %s is unavailable',
    async (_, replacedDeps) => {
      const fixture = grantFixture();
      await expect(logIn(fixture, {}, replacedDeps)).rejects.toBe(unavailable);
      expect(emittedEvents(fixture)).toEqual([]);
      expect(await sessionsOf(fixture)).toEqual([]);
    },
  );
});

describe('a host login that requests the scope auth', () => {
  it.each([
    ['issued', FIVE_MINUTES_MS],
    ['rejected', FIVE_MINUTES_MS + 1],
  ])('has the outcome %s if the user was authenticated %i ms ago', async (outcome, ms) => {
    const fixture = grantFixture();
    const authTimeMs = fixture.deps.clock.nowMs() - ms;
    const login = await logIn(fixture, { authTimeMs, scopes: ['user', 'auth'] });
    expect(login.outcome).toBe(outcome);
    const event = outcome === 'issued' ? 'login.succeeded' : 'login.failed: scope_denied';
    expect(emittedEvents(fixture)).toEqual([event]);
  });
});

describe('a host login of a user with a second factor', () => {
  it("creates a challenge with the login's context, and begins no session", async () => {
    const fixture = grantFixture();
    fixture.addFactor();
    const authTimeMs = fixture.deps.clock.nowMs() - 1000;
    const context = { accountId: 2, version: 'v1', amr: ['email'], authTimeMs } as const;
    const login = await logIn(fixture, context);
    expect(await contextOf(fixture, login)).toEqual({ ...context, actor: 'host' });
    expect(await sessionsOf(fixture)).toEqual([]);
    expect(fixture.events).toEqual([
      { type: 'challenge.created', userId: 'ada', actor: 'host', ...CLIENT },
    ]);
  });

  it('needs no code if the amr of the host includes `mfa`', async () => {
    const fixture = grantFixture();
    fixture.addFactor();
    expect(
      await logIn(fixture, { amr: ['pop', 'mfa'] }, { factorOf: rejectUnavailable }),
    ).toMatchObject({
      outcome: 'issued',
    });
    expect(await sessionsOf(fixture)).toMatchObject([{ amr: ['pop', 'mfa'] }]);
  });
});

describe('a host login, concurrent with a revocation', () => {
  /** A user store that revokes all sessions of ada before or after it looks her up. */
  function revokingUsers(fixture: GrantFixture, when: 'before' | 'after'): Partial<HostGrantDeps> {
    const { users, sessions } = fixture.deps;
    return {
      users: {
        async findById(userId) {
          const user = when === 'before' ? null : await users.findById(userId);
          await sessions.revokeAll('ada');
          fixture.advance(20);
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
  ] as const)(
    'is rejected if the revocation comes %s the user look-up (second factor: %s)',
    async (when, hasFactor) => {
      const fixture = grantFixture();
      if (hasFactor) fixture.addFactor();
      const reason = 'revoked_meanwhile';
      expect(await logIn(fixture, {}, revokingUsers(fixture, when))).toEqual({
        outcome: 'rejected',
        reason,
      });
      expect(emittedEvents(fixture)).toEqual([`login.failed: ${reason}`]);
      expect(await sessionsOf(fixture)).toEqual([]);
    },
  );

  it('succeeds if it begins after the revocation, even if the host authenticated the user earlier', async () => {
    const fixture = grantFixture();
    const authTimeMs = fixture.deps.clock.nowMs();
    fixture.advance(20);
    await fixture.deps.sessions.revokeAll('ada');
    fixture.advance(20);
    expect(await logIn(fixture, { authTimeMs })).toMatchObject({ outcome: 'issued' });
  });
});

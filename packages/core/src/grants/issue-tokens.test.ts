import { describe, expect, it } from 'vitest';
import type { LifetimeOptions } from '../auth-options.ts';
import { grantFixture } from './grant-fixture.test.support.ts';
import type { IssueRequest } from './issue-tokens.ts';
import { createLogin } from './refresh-fixture.test.support.ts';

type Changes = Partial<Pick<IssueRequest, 'scopes' | 'expirationSeconds'>> & {
  /** How long ago the session began. */
  readonly ageMs?: number;
  /** The time from the beginning of the session to its last refresh. */
  readonly rotatedAfterMs?: number;
  readonly accounts?: readonly number[];
};

/** Issues tokens for a session of ada. */
async function issueTokens(
  lifetimes: LifetimeOptions,
  { ageMs = 0, rotatedAfterMs = 0, accounts = [1, 2], ...request }: Changes = {},
) {
  const { fixture, session } = await createLogin(grantFixture({ lifetimes }));
  fixture.advance(ageMs);
  const tokens = fixture.deps.issueTokens({
    user: { id: 'ada', passwordHash: null, accounts, scopes: ['user', 'auth'] },
    session: { ...session, rotatedAtMs: session.createdAtMs + rotatedAfterMs },
    nowMs: session.createdAtMs + ageMs,
    scopes: ['user'],
    accountId: null,
    claims: {},
    expirationSeconds: undefined,
    ...request,
  });
  const verified = await fixture.accessTokens.verify(tokens.accessToken);
  if (verified.outcome !== 'valid') throw new Error(verified.outcome);
  const { issuedAtMs, expiresAtMs } = verified.info;
  // The response must have the lifetime and the accounts of the token.
  expect(expiresAtMs - issuedAtMs).toBe(1000 * tokens.expiresInSeconds);
  expect(verified.info.accounts).toEqual(tokens.accounts);
  return tokens;
}

const SESSION_MS = 10_000_000;

describe('an access token', () => {
  it.each<[seconds: number, what: string, changes: Changes]>([
    [1_000, 'the default, if no lifetime is requested', {}],
    [700, 'as long as requested', { expirationSeconds: 700 }],
    [2_000, 'no longer than the policy allows', { expirationSeconds: 2_001 }],
    [600, 'no longer than the scope auth allows', { scopes: ['user', 'auth'] }],
    [
      600,
      'no longer than the scope auth allows, if more is requested',
      { scopes: ['auth'], expirationSeconds: 900 },
    ],
    [42, 'no longer than its session', { ageMs: SESSION_MS - 42_999 }],
    [1, 'the minimum, if its session is about to end', { ageMs: SESSION_MS }],
  ])('has a lifetime of %i s: %s', async (seconds, _, changes) => {
    const { expiresInSeconds } = await issueTokens(
      {
        accessTokenSeconds: 1_000,
        maxAccessTokenSeconds: 2_000,
        refreshAbsoluteSeconds: SESSION_MS / 1000,
      },
      changes,
    );
    expect(expiresInSeconds).toBe(seconds);
  });

  it.each([
    [900, 'as long as its session may be idle', {}],
    [870, 'no longer if the response is repeated', { ageMs: 30_000 }],
    [900, 'counted from the last refresh', { ageMs: 30_000, rotatedAfterMs: 30_000 }],
  ])(
    'that would outlive an idle session has a lifetime of %i s: %s',
    async (seconds, _, changes) => {
      const { expiresInSeconds } = await issueTokens({ refreshIdleSeconds: 900 }, changes);
      expect(expiresInSeconds).toBe(seconds);
    },
  );

  it('names an account once even if the user store lists it twice', async () => {
    expect((await issueTokens({}, { accounts: [2, 1, 2] })).accounts).toEqual([2, 1]);
  });
});

describe('a refresh token', () => {
  const lifetimes = { refreshIdleSeconds: 100, refreshAbsoluteSeconds: 130 };

  it.each([
    [70, 'as long as its session may be idle', { ageMs: 30_000 }],
    [90, 'the idle time, counted from the last refresh', { ageMs: 30_000, rotatedAfterMs: 20_000 }],
    [65, 'no longer than its session', { ageMs: 65_000, rotatedAfterMs: 60_000 }],
  ])('has a lifetime of %i s: %s', async (seconds, _, changes) => {
    expect((await issueTokens(lifetimes, changes)).refreshExpiresInSeconds).toBe(seconds);
  });
});

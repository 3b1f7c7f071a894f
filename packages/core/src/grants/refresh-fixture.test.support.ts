import type { SessionRecord } from '../storage/session-store.ts';
import { CLIENT, type GrantFixture, grantFixture } from './grant-fixture.test.support.ts';
import type { IssuedTokens } from './issue-tokens.ts';
import {
  createRefreshGrant,
  type RefreshGrantDeps,
  type RefreshGrantRequest,
} from './refresh-grant.ts';

export const SESSION_ID = 'AAAAAAAAAAAAAAAAAAAAAA';
export const INVALID_TOKEN = {
  code: 'invalid_grant',
  description: 'The refresh token is not valid.',
};

/** Creates a session of ada; returns the session, and its first refresh token. */
export async function createLogin(
  fixture: GrantFixture = grantFixture(),
  grant: { accountId?: number; scopes?: ('user' | 'admin' | 'auth')[] } = {},
): Promise<{ fixture: GrantFixture; session: SessionRecord; token: string }> {
  const { sessions, refreshTokens, policy, clock } = fixture.deps;
  const result = await sessions.create(
    {
      userId: 'ada',
      sessionId: SESSION_ID,
      scopes: grant.scopes ?? ['user', 'admin'],
      accountId: grant.accountId ?? null,
      amr: ['pwd'],
      authTimeMs: clock.nowMs(),
      loginAgeMs: 0,
      ...CLIENT,
      ...policy.session,
    },
    policy.session,
  );
  if (result.outcome !== 'created') throw new Error(result.outcome);
  return { fixture, session: result.session, token: refreshTokens.sign(result.session) };
}

export function refresh(
  { deps }: GrantFixture,
  refreshToken: string,
  request: Partial<RefreshGrantRequest> = {},
  replacedDeps: Partial<RefreshGrantDeps> = {},
): Promise<IssuedTokens> {
  return createRefreshGrant({ ...deps, ...replacedDeps })({
    refreshToken,
    accountId: null,
    scopes: undefined,
    expirationSeconds: undefined,
    client: CLIENT,
    ...request,
  });
}

/** Whether the first refresh token of ada's session has not been exchanged yet. */
export async function isTokenUnused({ deps }: GrantFixture): Promise<boolean> {
  const [session] = await deps.sessions.list('ada');
  return session?.generation === 1;
}

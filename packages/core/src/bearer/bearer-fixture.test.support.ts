import { expect } from 'vitest';
import type { AccountId } from '../account-id.ts';
import { createCallGuard } from '../faults/call-guard.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { createSigningKeys } from '../keys/signing-keys.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Scope } from '../scopes/scope.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { storedSession } from '../sessions/stored-session.test.support.ts';
import type { SessionStore } from '../storage/session-store.ts';
import { DEFAULT_CLOCK_TOLERANCE } from '../tokens/access-token.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import { createAccessTokenVerifier } from '../tokens/access-token-verifier.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import { createIssueAccessToken } from '../tokens/issue-access-token.ts';
import { createAuthenticate } from './authenticate.ts';
import type { BearerOutcome, BearerRequirement } from './bearer.ts';
import { createBearer } from './create-bearer.ts';

export const NOW_MS = Date.UTC(2027, 0, 1);
export const TOKEN_LIFETIME_SECONDS = 600;
const clock = { nowMs: () => NOW_MS };
const identity = { issuer: 'https://api.example.com', audience: 'api', clientId: 'latchhook' };
const keys = createSigningKeys([generateSigningKey()], clock);
const issue = createIssueAccessToken(keys, identity);

/** The content of the tokens of these tests. */
export const subject = {
  userId: 'user-1',
  sessionId: 'session-1',
  scopes: ['user'],
  accounts: [1, 2],
  accountId: null,
  authTimeMs: NOW_MS,
  amr: ['pwd'],
  claims: {},
} satisfies Partial<AccessTokenInfo>;

export type Subject = Parameters<typeof issue>[0];

/** An `Authorization` header with a token for {@link subject}, changed as given. */
export async function headerFor(changes: Partial<Subject> = {}): Promise<string> {
  const life = { nowMs: NOW_MS, lifetimeSeconds: TOKEN_LIFETIME_SECONDS };
  return `Bearer ${issue({ ...subject, ...changes }, life)}`;
}

/** A bearer check on a real store that holds the session of {@link subject}. */
export async function setup() {
  const sessions = await storedSession(subject, clock);
  return { ...bearerOver(sessions), sessions };
}

/** A bearer check on this store of sessions. */
export function bearerOver(sessions: Pick<SessionStore, 'isLive'>) {
  const events: SecurityEvent[] = [];
  const emit = (event: SecurityEvent) => void events.push(event);
  const callStorage = createCallGuard('storage');
  let sessionChecks = 0;
  const authenticate = createAuthenticate({
    verifier: createAccessTokenVerifier({
      accountIdKind: 'integer',
      ...identity,
      keys,
      clock,
      cacheSize: 100,
      tolerance: DEFAULT_CLOCK_TOLERANCE,
      scopeTable: builtInScopes,
    }),
    sessions: {
      isLive: (ref) => {
        sessionChecks += 1;
        return callStorage(() => sessions.isLive(ref));
      },
    },
    scopeTable: builtInScopes,
    emit,
  });
  const bearer = createBearer({
    authenticate,
    scopeTable: builtInScopes,
    accountIdKind: 'integer',
    emit,
  });
  const check = async (header: string | undefined, requirement: BearerRequirement = {}) =>
    summary(await bearer.check(header, requirement));
  return { bearer, check, events, sessionCheckCount: () => sessionChecks };
}

/** The part of an outcome that the client sees. */
export function summary(outcome: BearerOutcome<HostClaims, Scope, AccountId>) {
  if (outcome.outcome === 'passed') return 'passes';
  const { status, headers, body } = outcome.response;
  const { error } = JSON.parse(body) as { error: string };
  return { status, error, challenge: headers['www-authenticate'] };
}

export const ACCESS_DENIED = {
  status: 403,
  error: 'access_denied',
  challenge: 'Bearer error="insufficient_scope"',
};
export const BAD_TOKEN = {
  status: 401,
  error: 'invalid_token',
  challenge: expect.stringMatching(/^Bearer error="invalid_token", error_description="[^"\\]+"$/),
};
export const UNAVAILABLE = { status: 503, error: 'temporarily_unavailable', challenge: undefined };

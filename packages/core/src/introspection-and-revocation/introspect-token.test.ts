import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../keys/secret-ring.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { createSigningKeys } from '../keys/signing-keys.ts';
import { resolvePolicy } from '../options/resolve-policy.ts';
import { newPersonalAccessToken } from '../personal-access-tokens/personal-access-token.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { createRefreshTokens } from '../sessions/refresh-token.ts';
import { storedSession } from '../sessions/stored-session.test.support.ts';
import { DEFAULT_CLOCK_TOLERANCE } from '../tokens/access-token.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import { createAccessTokenVerifier } from '../tokens/access-token-verifier.ts';
import { createIssueAccessToken } from '../tokens/issue-access-token.ts';
import { createIntrospectToken, type IntrospectTokenDeps } from './introspect-token.ts';

const NOW_MS = Date.UTC(2027, 0, 1);
const IDLE_SECONDS = 60;
const clock = { nowMs: () => NOW_MS };
const identity = { issuer: 'https://api.example.com', audience: 'api', clientId: 'latchhook' };
const keys = createSigningKeys([generateSigningKey()], clock);
const refreshTokens = createRefreshTokens(createSecretRing([Buffer.alloc(32, 1)]));

const subject = {
  userId: 'ada',
  sessionId: 'AAAAAAAAAAAAAAAAAAAAAA',
  scopes: ['user', 'auth'],
  accounts: [1],
  accountId: null,
  authTimeMs: NOW_MS,
  amr: ['pwd'],
  claims: {},
} satisfies Partial<AccessTokenInfo>;

const ACCESS_TOKEN = createIssueAccessToken(keys, identity)(subject, {
  nowMs: NOW_MS,
  lifetimeSeconds: 600,
});
const REFRESH_TOKEN = refreshTokens.sign({ ...subject, generation: 1 });

/** Introspection over a storage that has the session of both tokens. */
async function setup(changes: Partial<IntrospectTokenDeps> = {}) {
  const sessions = await storedSession(subject, clock);
  const events: SecurityEvent[] = [];
  const introspect = createIntrospectToken({
    accessTokens: createAccessTokenVerifier({
      accountIdKind: 'integer',
      ...identity,
      keys,
      clock,
      cacheSize: 100,
      tolerance: DEFAULT_CLOCK_TOLERANCE,
      scopeTable: builtInScopes,
    }),
    refreshTokens,
    sessions,
    users: { findById: async () => ({ id: 'ada', passwordHash: null, accounts: [1] }) },
    scopeTable: builtInScopes,
    policy: resolvePolicy({ refreshIdleSeconds: IDLE_SECONDS }, {}, undefined),
    clock,
    emit: (event) => void events.push(event),
    ...changes,
  });
  return { introspect, sessions, events };
}

describe('introspection', () => {
  it('returns the content of an access token while its session is live', async () => {
    const { introspect, events } = await setup();
    expect(await introspect(ACCESS_TOKEN)).toMatchObject({
      credential: 'access_token',
      ...subject,
    });
    expect(events).toEqual([]);
  });

  it('returns null for an access token whose session was revoked, and emits an event', async () => {
    const { introspect, sessions, events } = await setup();
    await sessions.revoke(subject);
    expect(await introspect(ACCESS_TOKEN)).toBeNull();
    expect(events).toEqual([{ type: 'access_token.rejected', reason: 'session_ended', count: 1 }]);
  });

  it('returns the content of a refresh token, and does not change its session', async () => {
    const { introspect, sessions } = await setup();
    const sessionsBefore = await sessions.list('ada');
    expect(await introspect(REFRESH_TOKEN)).toEqual({
      credential: 'refresh_token',
      userId: 'ada',
      sessionId: subject.sessionId,
      scopes: ['user'],
      accountId: null,
      issuedAtMs: NOW_MS,
      expiresAtMs: NOW_MS + 1000 * IDLE_SECONDS,
    });
    expect(await sessions.list('ada')).toEqual(sessionsBefore);
  });

  it('returns null for every refresh token of the session except the newest', async () => {
    const { introspect } = await setup();
    for (const generation of [0, 2]) {
      expect(await introspect(refreshTokens.sign({ ...subject, generation }))).toBeNull();
    }
  });

  it('returns null for a refresh token that has exceeded refreshIdleSeconds', async () => {
    const introspectAfter = async (ms: number) => {
      const { introspect } = await setup({ clock: { nowMs: () => NOW_MS + ms } });
      return introspect(REFRESH_TOKEN);
    };
    expect(await introspectAfter(1000 * IDLE_SECONDS - 1)).not.toBeNull();
    expect(await introspectAfter(1000 * IDLE_SECONDS)).toBeNull();
  });

  it('bypasses the cache for a personal access token', async () => {
    const token = newPersonalAccessToken();
    const calls: unknown[] = [];
    const { introspect } = await setup({
      usePersonalAccessToken: (...args) => {
        calls.push(args);
        return null;
      },
    });
    expect(await introspect(token)).toBeNull();
    expect(calls).toEqual([[token, 'current']]);
  });

  it('returns null for every personal access token if the app has none', async () => {
    expect(await (await setup()).introspect(newPersonalAccessToken())).toBeNull();
  });

  const fail = () => Promise.reject(new Error('down'));

  it('rejects, instead of returning null, if the storage fails', async () => {
    const { introspect } = await setup({ sessions: { isLive: fail, list: fail } });
    await expect(introspect(ACCESS_TOKEN)).rejects.toThrow('down');
    await expect(introspect(REFRESH_TOKEN)).rejects.toThrow('down');
  });

  it('rejects, instead of returning null, if the user store fails', async () => {
    const { introspect } = await setup({ users: { findById: fail } });
    await expect(introspect(REFRESH_TOKEN)).rejects.toThrow('down');
  });
});

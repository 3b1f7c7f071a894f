import { generateSync } from 'otplib';
import type { LifetimeOptions, MfaOptions } from '../auth-options.ts';
import { AuthError } from '../errors.ts';
import { createSecretRing } from '../keys/secret-ring.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { createSigningKeys } from '../keys/signing-keys.ts';
import { createChallengeTokens } from '../mfa/challenge-token.ts';
import { totpStepAt } from '../mfa/totp.ts';
import { createFactorOf } from '../mfa/user-factor.ts';
import { resolvePasswords } from '../options/resolve-passwords.ts';
import { resolvePolicy } from '../options/resolve-policy.ts';
import { DEFAULT_THROTTLE } from '../options/resolve-throttle.ts';
import { createPasswordVerifier } from '../passwords/password-verifier.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { createRefreshTokens } from '../sessions/refresh-token.ts';
import { memoryLimiters } from '../storage/memory/memory-limiter.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { createLoginThrottle } from '../throttle/login-throttle.ts';
import { DEFAULT_CLOCK_TOLERANCE } from '../tokens/access-token.ts';
import { createAccessTokenVerifier } from '../tokens/access-token-verifier.ts';
import { NO_HOST_CLAIMS } from '../tokens/host-claims.ts';
import { createIssueAccessToken } from '../tokens/issue-access-token.ts';
import type { User, UserStore } from '../users/users.ts';
import { createIssueTokens } from './issue-tokens.ts';
import { createTokenFits } from './token-fits.ts';

export const PASSWORD = 'correct horse battery staple';
export const CLIENT = { clientAddress: '192.0.2.1', userAgent: 'test' };

const TOTP_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const identity = { issuer: 'https://api.example.com', audience: 'api', clientId: 'latchhook' };
const START_MS = Date.UTC(2027, 0, 1);

/** The error into which the call guards of storage and user store turn every fault. */
export const unavailable: AuthError = new AuthError('temporarily_unavailable', 'Try again.');

/** A method of a storage or user store that is unavailable. */
export const rejectUnavailable = (): Promise<never> => Promise.reject(unavailable);

/** A scheme without a hash, which costs no time. */
const plaintextScheme = {
  name: 'plaintext',
  recognises: (hash: string) => hash.startsWith('plain:'),
  verify: async (hash: string, password: string) =>
    hash === `plain:${password}` ? ('exact_match' as const) : ('mismatch' as const),
};

/** More accounts than a token can name. */
export const MANY_ACCOUNTS: readonly number[] = Array.from({ length: 2_000 }, (_, i) => i + 1);

/** The secret that signs refresh tokens and challenges. */
export const SECRET: Buffer = Buffer.alloc(32, 1);

interface FixtureOptions {
  readonly lifetimes?: LifetimeOptions;
  readonly mfa?: MfaOptions;
  readonly secrets?: readonly Buffer[];
}

/**
 * The dependencies of all grants, on the memory storage. The user `ada` has two accounts and the scopes `user`, `admin`
 * and `auth`. The clock is frozen; `advance` moves it.
 */
export function grantFixture({
  lifetimes = {},
  mfa = {},
  secrets = [SECRET],
}: FixtureOptions = {}) {
  let nowMs = START_MS;
  const clock = { nowMs: () => nowMs };
  const users = new Map<string, User>();
  const changeUser = (changes: Partial<User>) => {
    const unchanged = users.get('ada') ?? {
      id: 'ada',
      passwordHash: `plain:${PASSWORD}`,
      accounts: [1, 2],
      scopes: ['user', 'admin', 'auth'],
    };
    users.set('ada', { ...unchanged, ...changes });
  };
  changeUser({});
  const userStore: UserStore = {
    findByUsername: async (name) => users.get(name.replace('@example.com', '')) ?? null,
    findById: async (userId) => users.get(userId) ?? null,
  };

  const { sessions, challenges } = memoryStorage({ clock });
  const signingKeys = createSigningKeys([generateSigningKey()], clock);
  const ring = createSecretRing(secrets);
  const refreshTokens = createRefreshTokens(ring);
  const policy = resolvePolicy(lifetimes, mfa, undefined);
  const events: SecurityEvent[] = [];
  const issueAccessToken = createIssueAccessToken(signingKeys, identity);

  return {
    /** The dependencies of the grants. */
    deps: {
      users: userStore,
      passwords: createPasswordVerifier(resolvePasswords({ schemes: [plaintextScheme] })),
      throttle: createLoginThrottle(memoryLimiters(), DEFAULT_THROTTLE, clock),
      factorOf: createFactorOf(userStore, undefined),
      sessions,
      challenges,
      refreshTokens,
      challengeTokens: createChallengeTokens(ring, true),
      claimsOfHost: () => NO_HOST_CLAIMS,
      tokenFits: createTokenFits(signingKeys, identity, clock),
      issueTokens: createIssueTokens({
        issueAccessToken,
        refreshTokens,
        scopeTable: builtInScopes,
        policy,
        clock,
      }),
      rehash: () => {},
      scopeTable: builtInScopes,
      policy,
      clock,
      emit: (event: SecurityEvent) => void events.push(event),
    },
    events,
    accessTokens: createAccessTokenVerifier({
      accountIdKind: 'integer',
      ...identity,
      keys: signingKeys,
      clock,
      cacheSize: 100,
      tolerance: DEFAULT_CLOCK_TOLERANCE,
      scopeTable: builtInScopes,
    }),
    /** Changes ada in the user store. */
    changeUser,
    /** Gives ada a second factor. */
    addFactor: () => changeUser({ mfa: { totpSecret: TOTP_SECRET } }),
    removeUser: () => users.delete('ada'),
    advance: (ms: number) => {
      nowMs += ms;
    },
    /** The code that ada's app shows `steps` time steps from now. */
    codeIn: (steps: number) =>
      generateSync({ secret: TOTP_SECRET, epoch: (totpStepAt(nowMs) + steps) * 30 }),
  };
}

export type GrantFixture = ReturnType<typeof grantFixture>;

/** The types of the emitted events, each followed by its reason, if it has one. */
export function emittedEvents({ events }: GrantFixture): readonly string[] {
  return events.map((event) => ('reason' in event ? `${event.type}: ${event.reason}` : event.type));
}

export function sessionsOf({ deps }: GrantFixture) {
  return deps.sessions.list('ada');
}

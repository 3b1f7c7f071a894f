import type { AccountId } from './account-id.ts';
import type { CookieOptions } from './cookies/cookie-options.ts';
import type { AccessTokenClaims } from './grants/claims-of-host.ts';
import type { SigningKeyInput } from './keys/signing-keys.ts';
import type { PasswordOptions } from './passwords/password-options.ts';
import type { PersonalAccessTokenOptions } from './personal-access-tokens/personal-access-token-options.ts';
import type { Clock } from './ports/clock.ts';
import type { SecurityEventListener } from './ports/security-events.ts';
import type { Deprecation } from './routes/put-token.ts';
import type { Scope, ScopeTypes } from './scopes/scope.ts';
import type { Storage } from './storage/storage.ts';
import type { ThrottleOptions } from './throttle/throttle-options.ts';
import type { HostClaims } from './tokens/host-claims.ts';
import type { UserStore } from './users/users.ts';
import type { EventTypes, GivenEvents } from './webhooks/events/event-types.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';

/**
 * Secrets and keys. In development whatever is absent is made at start, with a warning. Rejected are one key for two
 * purposes, in whatever form (`keys_reused`), and a secret that is words, a pattern or constant bytes
 * (`refresh_secret_weak`, `encryption_key_weak`, `signing_key_weak`).
 */
export interface KeyOptions {
  /**
   * Private keys that sign access tokens, as PEM, JWK or `KeyObject`, plain or with dates. ES256, EdDSA or RS256, by
   * the kind of key. The first signs, unless dates say otherwise; all of them verify.
   */
  readonly signing?: SigningKeyInput | readonly SigningKeyInput[];
  /**
   * Secrets that sign refresh tokens and challenges, 32 random bytes each, newest first. The first signs new sessions,
   * all of them open. Drop one no sooner than `refreshAbsoluteSeconds` after it stopped being first: dropping it ends
   * its sessions.
   */
  readonly refreshSecrets?: readonly (string | Uint8Array)[];
  /**
   * Keys for what is encrypted at rest, the signing secrets of webhooks and the secrets of second factors: 32 random
   * bytes each, newest first. The first encrypts, all of them decrypt. Needed where `webhooks` or `mfa.enrolment` is
   * given, and wherever users log in who have enrolled a factor. Drop one only once `auth.keys.reencrypt()` has
   * replaced what it encrypted: users whose factor no key opens cannot log in any more.
   */
  readonly encryption?: readonly (string | Uint8Array)[];
}

/** How long things live, in seconds. */
export interface LifetimeOptions {
  /**
   * An access token for which the client asks for no lifetime: 600 to `maxAccessTokenSeconds`. Default: 3,600, or
   * `maxAccessTokenSeconds` where that is shorter.
   */
  readonly accessTokenSeconds?: number;
  /** The longest that a client can ask for: 600 to 86,400. Default: 86,400. */
  readonly maxAccessTokenSeconds?: number;
  /**
   * A session that is not refreshed: 60 to `refreshAbsoluteSeconds`. Default: 30 days, or `refreshAbsoluteSeconds`
   * where that is shorter.
   */
  readonly refreshIdleSeconds?: number;
  /** A session, however often it is refreshed: 60 to 90 days (7,776,000). Default: 90 days. */
  readonly refreshAbsoluteSeconds?: number;
  /** How long the predecessor of a refresh token is still answered with its successor: 0 to 300. Default: 60. */
  readonly refreshGraceSeconds?: number;
  /** An MFA challenge: 30 to 900. Default: 300. */
  readonly challengeSeconds?: number;
}

/** What guards the second factor, and whether users enrol theirs here. */
export interface MfaOptions {
  /**
   * Whether users enrol a second factor by themselves, under `/users/self/mfa`. Needs `keys.encryption` and a storage
   * that keeps factors. If it is turned off again, nobody can enrol, change or remove one, but factors that the storage
   * keeps are still asked for: every login of a user without `User.mfa` asks it, whatever this says. Default: `false`.
   */
  readonly enrolment?: boolean;
  /** What authenticator apps call your app: 1 to 64 characters, no colon. Default: the host name of `issuer`. */
  readonly issuerName?: string;
  /** Attempts that one challenge takes: 1 to 10. Default: 5. */
  readonly attemptsPerChallenge?: number;
  /** Wrong codes in a row, over all challenges, that lock the factor: 3 to 20. Default: 10. */
  readonly failuresBeforeLock?: number;
  /** The first lock, seconds: 1 to 86,400; doubled at each further one. Default: 900. */
  readonly lockSeconds?: number;
  /** The longest lock, seconds: `lockSeconds` to 86,400. Default: 86,400. */
  readonly maxLockSeconds?: number;
  /**
   * Wrong codes in a row after which only `auth.factors.unlock` or `remove` helps: 10 to 100, the most that NIST SP
   * 800-63B-4 3.2.2 allows. Default: 100.
   */
  readonly failuresBeforeSuspension?: number;
}

/** The accounts of your app. */
export interface AccountOptions<Id extends AccountId = number> {
  /**
   * What names an account, in `User.accounts`, tokens, requests, webhooks and events: `integer`, or `string` for 1 to
   * 64 visible ASCII characters (0x21 to 0x7E), such as a UUID, told apart by letter case. After a change, what was
   * bound to an account before is rejected, and its webhooks are not found. Default: `integer`.
   */
  readonly id?: Id extends string ? 'string' : 'integer';
}

/** Everything that `createAuth` takes. Only `issuer` and `users` are always required. */
export interface AuthOptions<
  Events extends EventTypes = GivenEvents,
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> {
  /**
   * `iss` of every access token: an `https:` URL without query or fragment (`http:` in development or on loopback).
   */
  readonly issuer: string;
  /**
   * `aud` of every access token. Default: the issuer. Together with issuer and client id it must leave a token that is
   * bound to an account within 8,192 characters.
   */
  readonly audience?: string;
  /** `client_id` of every access token, which RFC 9068 demands. Default: `first-party`. */
  readonly clientId?: string;
  /** Your users table. */
  readonly users: UserStore<NoInfer<Scope | Scopes>, Id>;
  readonly accounts?: AccountOptions<Id>;
  /** Where sessions and challenges are kept. Default: this process's memory; a warning in production. */
  readonly storage?: Storage;
  /** Required in production. */
  readonly keys?: KeyOptions;
  readonly lifetimes?: LifetimeOptions;
  /** `false`: for apps behind something that throttles logins already. */
  readonly throttle?: ThrottleOptions | false;
  readonly passwords?: PasswordOptions<Id>;
  readonly mfa?: MfaOptions;
  /** Outgoing webhooks: clients register them, `auth.events.publish` sends to them. Absent: there are none. */
  readonly webhooks?: WebhookOptions<Events>;
  /**
   * Tokens that users make for their scripts. Default: on, if the storage keeps them. `false`: none are made, and none
   * are accepted, including tokens created earlier.
   */
  readonly personalAccessTokens?: PersonalAccessTokenOptions | false;
  /** Sessions that one user can have at a time; the least recently used gives way: 1 to 1,000. Default: 100. */
  readonly maxSessionsPerUser?: number;
  /**
   * How many verified access tokens are remembered, so that a token seen before costs next to nothing: 2 to
   * 1,000,000, of some 700 bytes each. Default: 10,000.
   */
  readonly tokenCacheSize?: number;
  /**
   * How far the clock of the process that issued an access token may be from that of the process that checks it: a
   * token is accepted so long after `exp`, and so long before `iat` and `nbf` (RFC 7519 4.1.4). Seconds, 0 to 60.
   * Refresh tokens and sessions use the clock of the storage. Default: 5 for `iat` and `nbf`, and none for `exp`.
   */
  readonly clockToleranceSeconds?: number;
  /**
   * Where the routes are mounted, as clients see it, for the metadata: a URL like `issuer`. Default: the
   * issuer's origin and the mount path; for `auth.wellKnown`, which is mounted elsewhere, the issuer.
   */
  readonly baseUrl?: string;
  /**
   * Whether browsers can keep the tokens of a login in cookies that no script reads. A client asks for them by the
   * header `Latchhook-Session: cookie`; those without it are answered as without this option. Default: `false`.
   */
  readonly cookies?: boolean | CookieOptions;
  /** Deprecation and end of `PUT /token`, for its headers. Default: deprecated since 2026-01-01, no sunset. */
  readonly putTokenDeprecation?: Deprecation;
  /**
   * Claims of your own in access tokens, at login and at each refresh, under names that are not ours: 2,048 bytes as
   * JSON. Routes find them in `auth.claims`. A call that fails, or takes longer than 1.5 s, answers 503; claims that
   * cannot be, 500.
   *
   * Security: anyone who holds the token can read them.
   *
   * @example
   * ```ts
   * import { createAuth, type UserStore } from '@latchhook/core';
   *
   * declare const users: UserStore;
   * declare function planOf(userId: string): Promise<string>;
   *
   * const auth = createAuth({
   *   issuer: 'https://api.example.com',
   *   users,
   *   accessTokenClaims: async (user) => ({ plan: await planOf(user.id) }),
   * });
   * ```
   */
  readonly accessTokenClaims?: AccessTokenClaims<Claims, NoInfer<Scope | Scopes>, Id>;
  /**
   * Scopes of your own beside {@link SCOPES}, by name: up to 64, each 1 to 64 visible ASCII characters without comma,
   * double quote and backslash (RFC 6749 3.3), 1,024 in all. Who has them is said by `User.scopes`. One that is taken
   * away is dropped from sessions at their next refresh, and from personal access tokens at once.
   *
   * @example
   * ```ts
   * import { createAuth, type Scope, type UserStore } from '@latchhook/core';
   * import { requireAuth } from '@latchhook/express';
   *
   * declare const users: UserStore<Scope | 'billing:read' | 'payout'>;
   *
   * const auth = createAuth({
   *   issuer: 'https://api.example.com',
   *   users,
   *   scopes: {
   *     'billing:read': { description: 'Read invoices.' },
   *     payout: { description: 'Pay money out.', sensitive: true, stepUp: true },
   *   },
   * });
   * const guard = requireAuth(auth, { scope: 'billing:read' });
   * ```
   */
  readonly scopes?: ScopeTypes<Scopes>;
  /** Called with every security event. While nobody listens, faults go to `console.error`. */
  readonly onSecurityEvent?: SecurityEventListener<Id>;
  /**
   * Whether to insist on what a production app needs. Default: `development` where `NODE_ENV` is unset, `development`
   * or `test`; otherwise, even for `staging`, `production`.
   */
  readonly environment?: 'production' | 'development';
  /** For tests. The counters of throttling use their store's own time nevertheless. Default: the system's. */
  readonly clock?: Clock;
}

/** The same of any app. */
export type AnyAuthOptions = AuthOptions<EventTypes, HostClaims, Scope, AccountId>;

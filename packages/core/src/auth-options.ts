import type { AccountId } from './account-id.ts';
import type { CookieOptions } from './cookies/cookie-options.ts';
import type { AccessTokenClaims } from './grants/access-token-claims.ts';
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
import type { BuiltInEvents, EventTypes } from './webhooks/events/event-types.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';

/**
 * Secrets and keys. In development, missing ones are generated at start, with a warning. A key with two purposes, in
 * any encoding, is rejected (`keys_reused`), and so is a secret made of words, a pattern or constant bytes
 * (`refresh_secret_weak`, `encryption_key_weak`, `signing_key_weak`).
 */
export interface KeyOptions {
  /**
   * Private keys that sign access tokens, as PEM, JWK or `KeyObject`, plain or with dates. ES256, EdDSA or RS256, by
   * the kind of key. The first signs, unless dates say otherwise; all of them verify.
   */
  readonly signing?: SigningKeyInput | readonly SigningKeyInput[];
  /**
   * Secrets that sign refresh tokens and challenges, 32 random bytes each, newest first. The first signs those of new
   * sessions, all of them verify. Drop one no sooner than `refreshAbsoluteSeconds` after it stopped being first:
   * dropping it ends the sessions that it signed.
   */
  readonly refreshSecrets?: readonly (string | Uint8Array)[];
  /**
   * Keys that encrypt secrets at rest (signing secrets of webhooks, secrets of second factors): 32 random bytes each,
   * newest first. The first encrypts, all of them decrypt. Required with `webhooks` or `mfa.enrolment`, and in every
   * process in which users with an enrolled factor log in. Drop one only once `auth.keys.reencrypt()` has replaced what
   * it encrypted: users whose factor no key decrypts cannot log in any more.
   */
  readonly encryption?: readonly (string | Uint8Array)[];
}

/** Lifetimes, in seconds. */
export interface LifetimeOptions {
  /**
   * An access token for which the client requests no lifetime: 600 to `maxAccessTokenSeconds`. Default: 3,600, or
   * `maxAccessTokenSeconds` if that is shorter.
   */
  readonly accessTokenSeconds?: number;
  /** The longest access token that a client can request: 600 to 86,400. Default: 86,400. */
  readonly maxAccessTokenSeconds?: number;
  /**
   * A session without a refresh: 60 to `refreshAbsoluteSeconds`. Default: 30 days, or `refreshAbsoluteSeconds` if that
   * is shorter.
   */
  readonly refreshIdleSeconds?: number;
  /** A session, even if it is refreshed: 60 to 90 days (7,776,000). Default: 90 days. */
  readonly refreshAbsoluteSeconds?: number;
  /** How long the predecessor of a refresh token is still answered with its successor: 0 to 300. Default: 60. */
  readonly refreshGraceSeconds?: number;
  /** An MFA challenge: 30 to 900. Default: 300. */
  readonly challengeSeconds?: number;
}

/** Limits of wrong second-factor codes, and whether users enrol their factor here. */
export interface MfaOptions {
  /**
   * Whether users enrol a second factor by themselves, under `/users/self/mfa`. Needs `keys.encryption` and a storage
   * that keeps factors. If it is turned off again, nobody can enrol, change or remove a factor, but the factors in the
   * storage are still required: every login of a user without `User.mfa` looks for one, regardless of this option.
   * Default: `false`.
   */
  readonly enrolment?: boolean;
  /** The name of your app in authenticator apps: 1 to 64 characters, no colon. Default: the host name of `issuer`. */
  readonly issuerName?: string;
  /** Attempts that one challenge allows: 1 to 10. Default: 5. */
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
   * The kind of account ids, in `User.accounts`, tokens, requests, webhooks and events: `integer`, or `string` for 1 to
   * 64 visible ASCII characters (0x21 to 0x7E), such as a UUID, case-sensitive. After a change, all sessions and tokens
   * that are bound to an account are rejected, and no webhook of an account is found. Default: `integer`.
   */
  readonly id?: Id extends string ? 'string' : 'integer';
}

/** The options of `createAuth`. Only `issuer` and `users` are always required. */
export interface AuthOptions<
  Events extends EventTypes = BuiltInEvents,
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> {
  /** `iss` of every access token: an `https:` URL without query or fragment (`http:` in development or on loopback). */
  readonly issuer: string;
  /**
   * `aud` of every access token. Default: the issuer. Issuer, audience and client id must be so short that a token that
   * is bound to an account has at most 8,192 characters.
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
  /** Limits of failed logins. `false`: none, for apps whose logins are throttled before they arrive here. */
  readonly throttle?: ThrottleOptions | false;
  readonly passwords?: PasswordOptions<Id>;
  readonly mfa?: MfaOptions;
  /** Outgoing webhooks: clients register them, `auth.events.publish` sends to them. Absent: there are none. */
  readonly webhooks?: WebhookOptions<Events>;
  /**
   * Tokens that users create for their scripts. Default: on, if the storage keeps them. `false`: none can be created,
   * and none are accepted, including tokens created earlier.
   */
  readonly personalAccessTokens?: PersonalAccessTokenOptions | false;
  /** Sessions that one user can have: 1 to 1,000. One more ends the least recently used session. Default: 100. */
  readonly maxSessionsPerUser?: number;
  /**
   * How many verified access tokens are cached, so that their signatures are not verified again: 2 to 1,000,000, of
   * some 700 bytes each. Default: 10,000.
   */
  readonly tokenCacheSize?: number;
  /**
   * By how many seconds the clocks of two processes may differ, 0 to 60: the process that issues an access token, and
   * the one that checks it. The token is accepted until so many seconds after `exp`, and from so many seconds before
   * `iat` and `nbf` (RFC 7519 4.1.4). Refresh tokens and sessions use the clock of the storage. Default: 5 for `iat`
   * and `nbf`, and none for `exp`.
   */
  readonly clockToleranceSeconds?: number;
  /**
   * The URL at which clients reach the routes, for the metadata; in the form of `issuer`. Default: the issuer's origin
   * and the mount path; for `auth.wellKnown`, which is mounted elsewhere, the issuer.
   */
  readonly baseUrl?: string;
  /**
   * Whether browsers can keep the tokens of a login in cookies that no script can read. A client requests them by the
   * header `Latchhook-Session: cookie`; requests without it are answered as without this option. Default: `false`.
   */
  readonly cookies?: boolean | CookieOptions;
  /** Deprecation and end of `PUT /token`, for its headers. Default: deprecated since 2026-01-01, no sunset. */
  readonly putTokenDeprecation?: Deprecation;
  /**
   * Adds claims of your own to access tokens, at login and at each refresh, under names that Latchhook does not use: up
   * to 2,048 bytes as JSON. Routes find them in `auth.claims`. If the call fails, or takes longer than 1.5 s, the
   * request is answered 503; if the claims are invalid, 500.
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
   * Scopes of your own in addition to {@link SCOPES}, by name: up to 64, each 1 to 64 visible ASCII characters without
   * comma, double quote and backslash (RFC 6749 3.3), 1,024 in all. `User.scopes` says who has them. One that a user
   * loses is dropped from sessions at their next refresh, and from personal access tokens immediately.
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
   * Whether to require what a production app needs, such as `keys`. Default: `development` if `NODE_ENV` is unset,
   * `development` or `test`; `production` for every other value, such as `staging`.
   */
  readonly environment?: 'production' | 'development';
  /** For tests. Throttling counts by the time of its store nevertheless. Default: the system's clock. */
  readonly clock?: Clock;
}

/** {@link AuthOptions} of an app with any events, claims, scopes and account ids. */
export type AnyAuthOptions = AuthOptions<EventTypes, HostClaims, Scope, AccountId>;

import type { AccountId } from './account-id.ts';
import type { Bearer } from './bearer/bearer.ts';
import type { HttpRoutes } from './http/http-routes.ts';
import type { KeyControl } from './keys/key-control.ts';
import type { Factors } from './mfa/factor-control.ts';
import type { HashOutcome, VerifyOutcome } from './passwords/password-verifier.ts';
import type { PersonalAccessTokens } from './personal-access-tokens/personal-access-token-control.ts';
import type { SecurityEvents } from './ports/security-events.ts';
import type { Health, ReadyOptions } from './readiness/readiness.ts';
import type { Login } from './routes/host-login.ts';
import type { Scope } from './scopes/scope.ts';
import type { Sessions } from './sessions/session-control.ts';
import type { HostClaims } from './tokens/host-claims.ts';
import type { Webhooks } from './webhooks/control/webhook-control.ts';
import type { DrainOutcome } from './webhooks/deliveries/delivery-worker.ts';
import type { BuiltInEvents, EventTypes } from './webhooks/events/event-types.ts';
import type { Events } from './webhooks/publishing/events.ts';

/** The result of `createAuth`: hand it to an adapter's `latchhook` and `requireAuth`. */
export interface Auth<
  EventsOfApp extends EventTypes = BuiltInEvents,
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> {
  /** For adapters. */
  readonly http: HttpRoutes;
  /**
   * Only `/.well-known/*`, for a host that mounts the other routes under a path. Standard clients look for these
   * documents at the root of the issuer's host. If the issuer has a path, they ask for the metadata at
   * `/.well-known/oauth-authorization-server/<path>` (RFC 8414 3.1), which is answered too. Mount this at that root
   * with `latchhook({ http: auth.wellKnown })`, and set `baseUrl`: without it, the metadata says that the routes are
   * below the issuer.
   */
  readonly wellKnown: HttpRoutes;
  /** For adapters, and for your own routes if your framework has no adapter: see {@link Bearer.check}. */
  readonly bearer: Bearer<Claims, Scopes, Id>;
  /** Logs in a user whom your own code has authenticated: by a registration, a link in a mail, SSO or a passkey. */
  readonly login: Login<Scopes, Id>;
  /** The sessions of a user: to list them, and to end one session, all sessions or all but one. */
  readonly sessions: Sessions<Id>;
  /** The second factor of a user: to lift its lock, or to remove it. */
  readonly factors: Factors;
  /** The personal access tokens of a user: to list them, and to revoke all of them or a leaked one. */
  readonly personalAccessTokens: PersonalAccessTokens<Id>;
  /** The webhooks of accounts: to register and manage them. Needs the option `webhooks`. */
  readonly webhooks: Webhooks<EventsOfApp, Id>;
  /** Re-encrypts what is encrypted at rest, after a change of `keys.encryption`. */
  readonly keys: KeyControl;
  /**
   * Logins, rejections, faults and other events, for logs and monitoring. Those that are among `webhooks.events` are
   * published to webhooks too.
   */
  readonly securityEvents: SecurityEvents<Id>;
  /** Hashes and verifies passwords, for routes of the host such as registration. */
  readonly passwords: {
    /**
     * Hashes a new password with today's parameters, under the concurrency limit that logins share. Does not check its
     * strength. Rejects a password that no login can send (empty, more than 256 characters, malformed), and one that
     * contains U+FFFD, with which a parser of the host has replaced bytes that are not UTF-8.
     *
     * @example
     * ```ts
     * import type { Auth } from '@latchhook/core';
     *
     * declare const auth: Auth;
     * declare function store(passwordHash: string): Promise<void>;
     *
     * const result = await auth.passwords.hash('correct horse battery staple');
     * if (result.outcome === 'hashed') await store(result.passwordHash);
     * ```
     */
    hash(password: string): Promise<HashOutcome>;
    /**
     * Compares a password with a stored hash as a login by `User.passwordHash` does: by argon2id or
     * `passwords.schemes`, under the concurrency limit that logins share, but never by `passwords.verifier`. For other
     * code that checks the same column, such as a login of your own. Writes nothing: if `needsRehash` is true, the
     * caller may replace the stored hash with an argon2id hash of this password.
     *
     * Neither counts failures nor checks whether the user is disabled: both are up to the caller. Rejects if a scheme
     * fails.
     *
     * Security: pass `null` as the hash of an unknown user. It takes as long as a wrong password.
     *
     * @example
     * ```ts
     * import type { Auth } from '@latchhook/core';
     *
     * declare const auth: Auth;
     * declare function findHash(username: string): Promise<string | null>;
     *
     * async function isRight(username: string, password: string): Promise<boolean> {
     *   const compared = await auth.passwords.verify(await findHash(username), password);
     *   return compared.outcome === 'match';
     * }
     * ```
     */
    verify(hash: string | null, password: string): Promise<VerifyOutcome>;
  };
  /** Publishes events to the webhooks of accounts. Needs the option `webhooks`. */
  readonly events: Events<EventsOfApp, Id>;
  /**
   * Sends the deliveries that are due, and resolves once none is due or in flight in this process, or after
   * `deadlineMs`. For hosts that are frozen between requests, such as serverless functions: call it before the response
   * is sent. Deliveries that wait for a retry or for the rate limit of their webhook are sent by a later call.
   *
   * It first waits until the security events that are among `webhooks.events` are stored. If `webhooks.worker` is
   * `false`, it does only this, and sends nothing.
   *
   * @throws {ConfigError} `option_out_of_bounds`
   *
   * @example
   * ```ts
   * import type { Auth } from '@latchhook/core';
   *
   * declare const auth: Auth;
   *
   * const { outcome } = await auth.drainDeliveries({ deadlineMs: 5_000 });
   * if (outcome === 'deadline') console.warn('some deliveries are left for the next call');
   * ```
   */
  drainDeliveries(options: { readonly deadlineMs: number }): Promise<DrainOutcome>;
  /**
   * Resolves once this process can serve requests; call it before it listens. Rejects with one `NotReadyError` that
   * lists everything that would fail later, and says what to do: a module, or the native binary of argon2, that a
   * bundle lacks; a user store that does not answer a look-up of an unknown name; a store that is unreachable, not
   * migrated, not permitted or unsafely configured; keys that do not decrypt what is stored; an issuer, an audience or
   * keys that differ from those of another process on the same storage.
   *
   * From then on the storage lists this process, until `close`; a process that ends without `close` is listed for a
   * minute more. A storage of your own without checks is tested by a look-up of a session that does not exist. Can be
   * called again. A check without an answer is made three times at most; each of its steps times out after some
   * seconds.
   *
   * @throws {ConfigError} `options_invalid`, `option_unknown`
   * @example
   * ```ts
   * import type { Auth } from '@latchhook/core';
   *
   * declare const auth: Auth;
   *
   * await auth.ready();
   * ```
   */
  ready(options?: ReadyOptions): Promise<void>;
  /**
   * Whether this process can serve requests now, for a readiness route: calls each store once, with a timeout of a
   * second. Never rejects, remembers nothing, reveals no secret. Does not call the user store.
   */
  health(): Promise<Health>;
  /**
   * Stops sending webhooks in this process: attempts in flight are finished, the other deliveries wait in the storage.
   * At the same time it waits, 5 s at most, for pending calls of the storage and the user store. Once it resolves,
   * nothing uses your Redis client or your pool any more, if no request is pending. Can be called twice.
   *
   * Takes 25 s at most, without webhooks 5 s. A process that is killed sooner loses nothing: another process repeats
   * its attempts in flight, so their receivers may get an event twice.
   */
  close(): Promise<void>;
}

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
import type { EventTypes, GivenEvents } from './webhooks/events/event-types.ts';
import type { Events } from './webhooks/publishing/events.ts';

/** What `createAuth` makes: hand it to an adapter's `latchhook` and `requireAuth`. */
export interface Auth<
  EventsOfApp extends EventTypes = GivenEvents,
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> {
  /** For adapters. */
  readonly http: HttpRoutes;
  /**
   * `/.well-known/*` alone, for a host that mounts the rest under a path. Stock clients look for these at the root of
   * the issuer's host, and put the issuer's path behind that of the metadata (RFC 8414 3.1), which is answered too.
   * Mount it there, by `latchhook({ http: auth.wellKnown })`, and set `baseUrl`; without that, the metadata says that
   * the routes are below the issuer.
   */
  readonly wellKnown: HttpRoutes;
  /** For adapters. */
  readonly bearer: Bearer<Claims, Scopes, Id>;
  /** Logs in a user whom your own code has authenticated: by a registration, a link in a mail, SSO or a passkey. */
  readonly login: Login<Scopes, Id>;
  /** The sessions of a user: to list them, and to end one, all or all others. */
  readonly sessions: Sessions<Id>;
  /** The second factor of a user: to lift its lock, or to remove it. */
  readonly factors: Factors;
  /** The personal access tokens of a user: to list them, and to revoke all, or one that was leaked. */
  readonly personalAccessTokens: PersonalAccessTokens<Id>;
  /** The webhooks of accounts: to register and manage them. Needs the option `webhooks`. */
  readonly webhooks: Webhooks<EventsOfApp, Id>;
  /** Re-encrypts what is encrypted at rest, after a change of `keys.encryption`. */
  readonly keys: KeyControl;
  /** What the people who monitor the app want to know. */
  readonly securityEvents: SecurityEvents<Id>;
  /** Passwords, for the host, where users choose or type them. */
  readonly passwords: {
    /**
     * Hashes a new password with today's parameters, within the same bound as logins. Does not check its strength.
     * Rejected is what no login could have typed (empty, more than 256 characters, malformed), and U+FFFD: a parser of
     * the host has put that in the place of bytes that are not UTF-8.
     *
     * @example
     * ```ts
     * import type { Auth } from '@latchhook/core';
     *
     * declare const auth: Auth;
     * declare function store(passwordHash: string): Promise<void>;
     *
     * const made = await auth.passwords.hash('correct horse battery staple');
     * if (made.outcome === 'hashed') await store(made.passwordHash);
     * ```
     */
    hash(password: string): Promise<HashOutcome>;
    /**
     * Compares a password with a stored hash as a login by `User.passwordHash` does: by argon2id or
     * `passwords.schemes`, within the same bound, without `passwords.verifier`. For other code that checks the same
     * column, such as a login of your own. Replaces nothing: where `needsRehash` is true, an argon2id hash of this
     * password may replace the stored one.
     *
     * Does not count failures, and does not know whether the user is disabled: that is up to the caller. Rejects if a
     * scheme fails.
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
   * Sends what is due and resolves once nothing is due or in flight in this process, or after `deadlineMs`. For hosts
   * that stand still between requests, such as functions: call it before the answer that ends the work. What waits for
   * a retry is sent by a later call. Where `webhooks.worker` is `false`, only stores the security events that are among
   * `webhooks.events`.
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
   * Resolves once this process can serve requests; call it before it listens. Rejects with one `NotReadyError`
   * that lists all that would fail later, and says what to do: a module or the native binary of argon2 that a bundle
   * has lost; a users table that does not answer (it is asked for the login name of nobody); a store that cannot be
   * reached, is not migrated, may not be used, or has unsafe settings; keys that do not open what is stored; an issuer,
   * an audience or keys that differ from those of a process on the same storage.
   *
   * From then on the process counts among those that use the storage, until `close`, or a minute after it has ended
   * without one. A storage of your own that says nothing of itself is asked for a session that nobody has. Can be
   * called again. What does not answer is asked three times; each of its steps ends after some seconds.
   *
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
   * Whether this process can serve requests now, for a readiness route: one call of each store, bounded by a second.
   * Never rejects, remembers nothing, holds no secret. The users table is not asked.
   */
  health(): Promise<Health>;
  /**
   * Stops sending webhooks in this process, where attempts in flight are finished and the rest waits in the storage.
   * Meanwhile it waits for calls of the storage and of the user store that requests have left behind, 5 s at most. Once
   * it resolves, nothing uses your Redis client or your pool any more, if no request is pending. Can be called twice.
   *
   * Takes 25 s at most, without webhooks 5 s. A process that is killed sooner loses nothing: its attempts in flight are
   * made again by another process, so their receivers may hear of an event twice.
   */
  close(): Promise<void>;
}

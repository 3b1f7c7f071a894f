import type { Bearer } from './bearer/bearer.ts';
import type { HttpRoutes } from './http/http-routes.ts';
import type { Factors } from './mfa/factor-control.ts';
import type { HashOutcome } from './passwords/password-verifier.ts';
import type { PersonalAccessTokens } from './personal-access-tokens/personal-access-token-control.ts';
import type { SecurityEvents } from './ports/telemetry.ts';
import type { Sessions } from './sessions/session-control.ts';
import type { KeyControl } from './tokens/key-control.ts';
import type { Events } from './webhooks/events.ts';

/** What `createAuth` makes: hand it to an adapter's `latchhook` and `requireAuth`. */
export interface Auth {
  /** For adapters. */
  readonly http: HttpRoutes;
  /**
   * `/.well-known/*` alone, for a host that mounts the rest under a path: stock clients look for these at the
   * root of the issuer's host, the metadata with the issuer's path behind theirs (RFC 8414 3.1), which is answered
   * too. Mount it there, by `latchhook({ http: auth.wellKnown })`, and set `baseUrl`; without it the routes are said
   * to be below the issuer.
   */
  readonly wellKnown: HttpRoutes;
  /** For adapters. */
  readonly bearer: Bearer;
  /** The sessions of a user: to list them, and to end one, all or all others. */
  readonly sessions: Sessions;
  /** The second factor of a user: to lift its lock, or to take it away. */
  readonly factors: Factors;
  /** The personal access tokens of a user: to list them, and to revoke all, or one that came to light. */
  readonly personalAccessTokens: PersonalAccessTokens;
  /** What is encrypted at rest: to encrypt it anew, after a change of `keys.encryption`. */
  readonly keys: KeyControl;
  /** What happens that somebody watching over the app would want to know. */
  readonly securityEvents: SecurityEvents;
  /** Passwords, for the host: where one is chosen. */
  readonly passwords: {
    /**
     * Hashes a new password with today's parameters, under the same bound as logins. Says nothing of its strength.
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
  };
  /** What the host tells the webhooks of its accounts. Needs the option `webhooks`. */
  readonly events: Events;
  /**
   * Ends the sending of webhooks in this process: attempts under way end, the rest waits in the storage.
   * Where there are no webhooks, nothing needs an end. Can be called twice.
   */
  close(): Promise<void>;
}

import type { Bearer } from './bearer/bearer.ts';
import type { HttpRoutes } from './http/http-routes.ts';
import type { HashOutcome } from './passwords/password-verifier.ts';
import type { SecurityEvents } from './ports/telemetry.ts';
import type { SessionRecord } from './storage/session-store.ts';

/**
 * Sessions, for the host: after a password reset, or from an admin page. All reject with an `AuthError`
 * (`temporarily_unavailable`) where the storage does not answer: nothing is then known to have ended.
 */
export interface Sessions {
  /** The live ones, most recently refreshed first. */
  list(userId: string): Promise<readonly SessionRecord[]>;
  /** Ends one session; answers whether this call did. */
  revoke(userId: string, sessionId: string): Promise<boolean>;
  /** Ends every session and every pending challenge of the user. */
  revokeAll(userId: string): Promise<void>;
}

/** The second factor, for the host. */
export interface Factors {
  /** Lifts a lock or a suspension after too many wrong codes. */
  unlock(userId: string): Promise<void>;
}

/** What `createAuth` makes: hand it to an adapter's `latchhook` and `requireAuth`. */
export interface Auth {
  /** For adapters. */
  readonly http: HttpRoutes;
  /**
   * `/.well-known/*` alone, for a host that mounts the rest under a path: stock clients look for these at the
   * root of the issuer. Mount it there, by `latchhook({ http: auth.wellKnown })`, and set `baseUrl`.
   */
  readonly wellKnown: HttpRoutes;
  /** For adapters. */
  readonly bearer: Bearer;
  readonly sessions: Sessions;
  readonly factors: Factors;
  readonly securityEvents: SecurityEvents;
  /** Passwords, for the host: where one is chosen. */
  readonly passwords: {
    /** Hashes a new password with today's parameters, under the same bound as logins. */
    hash(password: string): Promise<HashOutcome>;
  };
}

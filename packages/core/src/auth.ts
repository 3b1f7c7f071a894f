import type { AuthRequest, AuthResponse } from './http/messages.ts';
import type { HashOutcome } from './passwords/password-verifier.ts';
import type { TimedSecurityEvent } from './ports/telemetry.ts';
import type { Scope } from './scope.ts';
import type { SessionRecord } from './storage/session-store.ts';

/** What a verified access token says: `req.auth` in Express, `ctx.state.auth` in Koa. */
export interface AccessTokenInfo {
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** The accounts that the user could access when the token was issued. */
  readonly accounts: readonly number[];
  /** The one account that the token acts for, or `null`. */
  readonly accountId: number | null;
  readonly sessionId: string;
  readonly clientId: string;
  /** The claim `jti`. */
  readonly tokenId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  readonly authTimeMs: number;
  readonly amr: readonly string[];
}

/** What a route asks of a bearer token. */
export interface BearerRequirement {
  /** The scope, or scopes, all of which the token must carry. Default: none beyond a valid token. */
  readonly scope?: Scope | readonly Scope[];
  /** The account that the route is about: must be one of the user's, and the bound one where the token is bound. */
  readonly accountId?: number;
  /**
   * Ask the store whether the session still lives, for every token. Without it only tokens that carry
   * `admin`, `internal` or `auth` are checked. Where it is checked, a storage fault is 503.
   */
  readonly checkSession?: boolean;
}

export type BearerOutcome =
  | { readonly ok: true; readonly auth: AccessTokenInfo }
  | { readonly ok: false; readonly response: AuthResponse };

/** The bearer check behind `requireAuth`. It builds no {@link AuthRequest}, since it runs on every request. */
export interface Bearer {
  /**
   * Checks the `Authorization` header as Node gives it. Answers at once, without a promise, where the token
   * has been seen before and the session need not be asked for. Never throws, never rejects.
   */
  check(
    authorization: string | undefined,
    requirement: BearerRequirement,
  ): BearerOutcome | Promise<BearerOutcome>;
}

/** The routes, for adapters. */
export interface HttpRoutes {
  /** Whether a path below the mount is one of ours, whatever the method. */
  owns(path: string): boolean;
  /** Answers a request whose path is ours. Never throws, never rejects. */
  handle(request: AuthRequest): Promise<AuthResponse>;
}

/** Sessions, for the host: after a password reset, or from an admin page. */
export interface Sessions {
  list(userId: string): Promise<readonly SessionRecord[]>;
  revoke(userId: string, sessionId: string): Promise<boolean>;
  /** Ends every session and every pending challenge of the user. */
  revokeAll(userId: string): Promise<void>;
}

/** The second factor, for the host. */
export interface Factors {
  /** Lifts a lock or a suspension after too many wrong codes. */
  unlock(userId: string): Promise<void>;
}

/** The one emitter of everything worth watching. */
export interface SecurityEvents {
  /** Calls `listener` for every event; the returned function ends that. A listener that throws harms nobody. */
  subscribe(listener: (event: TimedSecurityEvent) => void): () => void;
}

/** What `createAuth` makes: hand it to an adapter's `latchhook` and `requireAuth`. */
export interface Auth {
  readonly http: HttpRoutes;
  readonly bearer: Bearer;
  readonly sessions: Sessions;
  readonly factors: Factors;
  readonly securityEvents: SecurityEvents;
  readonly passwords: {
    /** Hashes a new password with today's parameters, under the same bound as logins. */
    hash(password: string): Promise<HashOutcome>;
  };
}

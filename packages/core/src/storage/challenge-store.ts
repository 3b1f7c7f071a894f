import type { AccountId } from '../account-id.ts';
import type { NewSession, SessionRecord } from './session-store.ts';

/** Names one pending MFA challenge. */
export interface ChallengeRef {
  readonly userId: string;
  readonly challengeId: string;
}

/** The data of the login, for the request that completes its challenge. JSON-safe. */
export interface ChallengeContext {
  /** The account that the login asked for, or `null`. */
  readonly accountId: AccountId | null;
  /** The API version that the login requested, in which its challenge is answered too. */
  readonly version: 'v1' | 'v2';
  /** When the user was authenticated, ms. */
  readonly authTimeMs: number;
  /** The authentication methods before the challenge (RFC 8176): `pwd`, or those that the host reports. */
  readonly amr: readonly string[];
  /** How the user was authenticated. `user`: by a password that core has verified. `host`: by the host itself. */
  readonly actor: 'user' | 'host';
}

/** A challenge to store. Its user is authenticated, and must still enter a code. */
export interface NewChallenge extends ChallengeRef {
  readonly context: ChallengeContext;
  /** How long the challenge is valid, ms. */
  readonly ttlMs: number;
  /** See {@link NewLogin.loginAgeMs}. */
  readonly loginAgeMs: number;
}

/** The outcome of {@link ChallengeStore.create}. */
export type CreateChallengeOutcome =
  | { readonly outcome: 'created' }
  /** The login began before the user's last `revokeAll`. Nothing was stored. */
  | { readonly outcome: 'stale_login' };

/** How many wrong codes are allowed. The limits are passed with every attempt; the store does not keep them. */
export interface CodeAttemptLimits {
  /** Attempts that one challenge allows. */
  readonly perChallenge: number;
  /** Consecutive failed attempts of the user, over all challenges, that lock the factor. */
  readonly perUser: number;
  /** The duration of the first lock, ms. Each further lock is twice as long as the last. */
  readonly lockMs: number;
  /** The longest duration of a lock, ms. */
  readonly maxLockMs: number;
  /** Consecutive failed attempts after which the factor stays locked until `unlock`. */
  readonly suspendAfter: number;
}

/** The outcome of {@link ChallengeStore.reserveAttempt}. */
export type ReserveOutcome =
  | {
      readonly outcome: 'reserved';
      readonly context: ChallengeContext;
      /** Attempts that the challenge has left after this one. */
      readonly attemptsRemaining: number;
      /** Until when the factor is locked if this attempt fails, ms; `null`: it is not locked then. */
      readonly lockedUntilMs: number | null;
      /** The store's time, for the verification of the code, ms. */
      readonly nowMs: number;
    }
  /**
   * The factor is locked for all challenges; returned even if there is no such challenge. `suspended`: the factor stays
   * locked until `unlock`, and `retryAfterMs` is only a nominal value such as `maxLockMs`.
   */
  | { readonly outcome: 'locked'; readonly retryAfterMs: number; readonly suspended: boolean }
  /** The challenge is unknown, expired, used, exhausted, or from before the user's last `revokeAll`. */
  | { readonly outcome: 'gone' };

/** A challenge whose code was valid, and the session to start. */
export interface CompleteRequest extends ChallengeRef {
  /** The TOTP time step of the code; `null` for a recovery code. Each step works once (RFC 6238 5.2). */
  readonly totpStep: number | null;
  /** The session to start, of the same user. */
  readonly session: NewSession;
  /** See `maxPerUser` of {@link SessionStore.create}. */
  readonly maxSessionsPerUser: number;
}

/** The outcome of {@link ChallengeStore.complete}. */
export type CompleteOutcome =
  | { readonly outcome: 'completed'; readonly session: SessionRecord }
  /** The user has already used a code of this step or of a later one. The challenge is unchanged. */
  | { readonly outcome: 'step_used' }
  /** The challenge was completed by another request, has expired, or is from before the last `revokeAll`. */
  | { readonly outcome: 'gone' };

/**
 * Pending MFA challenges, and for each user the state that protects the second factor across all challenges.
 *
 * Every method is **one atomic transition**, as in {@link SessionStore}; `complete` spans the challenge, the user's
 * factor and the new session, which is why both stores belong to one storage.
 */
export interface ChallengeStore {
  /**
   * Starts a challenge in the user's current session version: the next `revokeAll` ends it.
   *
   * Concurrency: `stale_login` if a `revokeAll` has run since the login began, as in `create` of {@link SessionStore}.
   * `complete` need not check this again, because a later `revokeAll` ends the challenge.
   *
   * Idempotency: repeated with the same `challengeId` it changes nothing, and returns `created`, or `stale_login` if a
   * `revokeAll` has run since the login began. A challenge that was used or ended is not revived.
   */
  create(challenge: NewChallenge): Promise<CreateChallengeOutcome>;

  /**
   * Counts an attempt **before** the code is verified: for the challenge, and for the user over all challenges. So an
   * attempt counts as failed if the process crashes, and parallel guesses cannot exceed the limits.
   *
   * Concurrency: of any number of parallel calls, exactly `perChallenge` are `reserved` for one challenge, and
   * `perUser` for all challenges of a user before the factor locks.
   *
   * Every `perUser`th consecutive attempt is reserved, and then locks the factor.
   */
  reserveAttempt(ref: ChallengeRef, limits: CodeAttemptLimits): Promise<ReserveOutcome>;

  /**
   * After a valid code: consumes the challenge, marks the TOTP step as used, clears the user's failures and starts the
   * session, all or nothing. The number of attempts is not checked: a reserved attempt may be completed even if a later
   * one was rejected.
   *
   * Idempotency: repeated with the same `session.sessionId` (a re-sent command) it returns `completed` again, with the
   * current record of the session, until the challenge expires or the session ends; after that, and for any other
   * session, `gone`.
   */
  complete(request: CompleteRequest): Promise<CompleteOutcome>;

  /** Clears the user's failed attempts and lifts a lock or a suspension. Keeps the last TOTP step. */
  unlock(userId: string): Promise<void>;
}

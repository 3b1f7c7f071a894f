import type { AccountId } from '../account-id.ts';
import type { NewSession, SessionRecord } from './session-store.ts';

/** Names one pending MFA challenge. */
export interface ChallengeRef {
  readonly userId: string;
  readonly challengeId: string;
}

/** What the login left for the request that answers the challenge. JSON-safe. */
export interface ChallengeContext {
  /** The account that the login asked for, or `null`. */
  readonly accountId: AccountId | null;
  /** The representation that the login asked for. */
  readonly version: 'v1' | 'v2';
  /** When the user was authenticated, ms. */
  readonly authTimeMs: number;
  /** How, before the challenge (RFC 8176): `pwd`, or what the host says. */
  readonly amr: readonly string[];
  /** Who authenticated the user: `user`, by their password here; `host`, by means of its own. */
  readonly actor: 'user' | 'host';
}

/** A login whose user was authenticated, about to wait for a code. */
export interface NewChallenge extends ChallengeRef {
  readonly context: ChallengeContext;
  /** For how long the challenge may be answered, ms. */
  readonly ttlMs: number;
  /** As of {@link NewLogin}: how long ago the user was about to be read for this login, whole ms. */
  readonly authenticationMs: number;
}

/** What came of {@link ChallengeStore.create}. */
export type CreateChallengeOutcome =
  | { readonly outcome: 'created' }
  /** The login began before the user's last `revokeAll`. Nothing was stored. */
  | { readonly outcome: 'stale_login' };

/** How often codes may be wrong. Comes with every attempt; the store does not keep it. */
export interface CodeAttemptLimits {
  /** Attempts that one challenge allows. */
  readonly perChallenge: number;
  /** Consecutive failed attempts of the user, over all challenges, that lock the factor. */
  readonly perUser: number;
  /** Length of the first lock, ms; each further one is twice as long as the one before ... */
  readonly lockMs: number;
  /** ... up to this, ms. */
  readonly maxLockMs: number;
  /** Consecutive failed attempts after which the factor stays locked until `unlock`. */
  readonly suspendAfter: number;
}

/** What came of {@link ChallengeStore.reserveAttempt}. */
export type ReserveOutcome =
  | {
      readonly outcome: 'reserved';
      readonly context: ChallengeContext;
      /** Attempts that the challenge has left after this one. */
      readonly attemptsRemaining: number;
      /** Until when the factor is locked if this attempt fails, ms; `null`: it is not. */
      readonly lockedUntilMs: number | null;
      /** The store's time, for the verification of the code, ms. */
      readonly nowMs: number;
    }
  /**
   * The factor is locked, for all challenges; answered even if there is no such challenge. `suspended`: until `unlock`,
   * so `retryAfterMs` is just some wait to name, such as `maxLockMs`.
   */
  | { readonly outcome: 'locked'; readonly retryAfterMs: number; readonly suspended: boolean }
  /** Unknown, expired, used, exhausted, or from before the user's last `revokeAll`. */
  | { readonly outcome: 'gone' };

/** A challenge whose code was right, and the session that it earns. */
export interface CompleteRequest extends ChallengeRef {
  /** The TOTP time step of the code, which works once (RFC 6238 5.2), or `null` for a recovery code. */
  readonly totpStep: number | null;
  /** The session to start; its `userId` is the challenge's. */
  readonly session: NewSession;
  /** As `maxPerUser` of {@link SessionStore.create}. */
  readonly maxSessionsPerUser: number;
}

/** What came of {@link ChallengeStore.complete}. */
export type CompleteOutcome =
  | { readonly outcome: 'completed'; readonly session: SessionRecord }
  /** This user has used the step, or a later one. The challenge stays as it was. */
  | { readonly outcome: 'step_used' }
  /** Answered by another request meanwhile, expired, or from before the last `revokeAll`. */
  | { readonly outcome: 'gone' };

/**
 * Pending MFA challenges, and for each user the state that protects the second factor across all of them.
 *
 * Every method is **one atomic transition**, as in {@link SessionStore}; `complete` spans the challenge,
 * the user's factor and the new session, which is why both stores belong to one storage.
 */
export interface ChallengeStore {
  /**
   * Starts a challenge in the user's present session version: the next `revokeAll` ends it.
   *
   * Concurrency: `stale_login` where a `revokeAll` has overtaken the login, as for `create` of {@link SessionStore}.
   * `complete` need not ask that again: the challenge's session version says it.
   *
   * Idempotency: the same `challengeId` again changes nothing, and answers as `create` of sessions does. A challenge
   * that was used or has ended since is not revived.
   */
  create(challenge: NewChallenge): Promise<CreateChallengeOutcome>;

  /**
   * Counts an attempt **before** the code is looked at, so that a crash, or a hundred parallel guesses,
   * count as failures: against the challenge, and against the user over all challenges.
   *
   * Concurrency: of any number of parallel calls, exactly `perChallenge` are `reserved` for one challenge, and
   * `perUser` for all challenges of a user before the factor locks.
   *
   * Every `perUser`th consecutive attempt is reserved, and then locks the factor.
   */
  reserveAttempt(ref: ChallengeRef, limits: CodeAttemptLimits): Promise<ReserveOutcome>;

  /**
   * After a right code: consumes the challenge, takes the TOTP step, forgets the user's failures and starts the
   * session, all or nothing. The number of attempts does not matter here: a reserved one may be completed though a
   * later one was rejected.
   *
   * Idempotency: repeated with the same `session.sessionId` (a re-sent command) it returns `completed` again, with the
   * session as it is now, until the challenge expires or the session ends; after that, and for any other session,
   * `gone`.
   */
  complete(request: CompleteRequest): Promise<CompleteOutcome>;

  /** Forgets the user's failed attempts and lifts a lock or a suspension. Keeps the last TOTP step. */
  unlock(userId: string): Promise<void>;
}

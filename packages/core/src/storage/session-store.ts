import type { AccountId } from '../account-id.ts';

/** Names one session. Both parts are needed, so that a store can keep all records of a user in one place. */
export interface SessionRef {
  readonly userId: string;
  readonly sessionId: string;
}

/** The fields of a session that the login sets and that never change. JSON-safe. */
export interface SessionGrant<Id extends AccountId = AccountId> extends SessionRef {
  /** The scopes that were granted at login, in canonical order. */
  readonly scopes: readonly string[];
  /** The account that the session is bound to, or `null`. */
  readonly accountId: Id | null;
  /** How the user was authenticated (RFC 8176): `pwd`, `otp`, `mfa` ... */
  readonly amr: readonly string[];
  /** When the user was authenticated, ms. */
  readonly authTimeMs: number;
  /** Address of the client at login, as the framework gave it. */
  readonly clientAddress: string | null;
  /** `User-Agent` of the client at login, cut to 256 characters. */
  readonly userAgent: string | null;
}

/** A session to store. */
export interface NewSession extends SessionGrant {
  /** How long the session lives without a refresh, ms. */
  readonly idleMs: number;
  /** How long after its creation the session ends in any case, ms. */
  readonly absoluteMs: number;
}

/** A session to store for a login, with the age of the login. */
export interface NewLogin extends NewSession {
  /**
   * The age of the login: the time since core began to look the user up, by the caller's monotonic clock, in whole ms,
   * rounded up. The store derives from it when the login began, so the clocks need not agree.
   */
  readonly loginAgeMs: number;
}

/** The outcome of {@link SessionStore.create}. */
export type CreateSessionOutcome =
  | { readonly outcome: 'created'; readonly session: SessionRecord }
  /** The login began before the user's last `revokeAll`, or `revokeOthers`. Nothing was stored. */
  | { readonly outcome: 'stale_login' };

/** A live session as it is stored. Times are of the store's clock. */
export interface SessionRecord<Id extends AccountId = AccountId> extends SessionGrant<Id> {
  readonly createdAtMs: number;
  /** When the session ends in any case. Never changed. */
  readonly expiresAtMs: number;
  /** When the current refresh token was issued; at first, `createdAtMs`. */
  readonly rotatedAtMs: number;
  /** Number of the current refresh token; that of the login is 1. */
  readonly generation: number;
}

/** A refresh token that was presented, and the limits for it. */
export interface RotateRequest extends SessionRef {
  /** The number of the presented refresh token. Core has verified the signature of the token. */
  readonly generation: number;
  /** The grace period: how long after a rotation the immediate predecessor still returns the same successor, ms. */
  readonly graceMs: number;
  /** How often the predecessor of one generation may be replayed. */
  readonly replayLimit: number;
  /** How long the session lives without a rotation, ms; each rotation restarts it. */
  readonly idleMs: number;
  /**
   * How many generations a valid token may be ahead of the store, which may have lost the last rotations in a failover.
   */
  readonly rollForwardLimit: number;
}

/** The outcomes of {@link SessionStore.rotate}. */
export const ROTATE_OUTCOMES = [
  /** The presented token was the current one: `session.generation` is its successor. */
  'rotated',
  /** The presented token is ahead of the store, which has lost rotations; the store now follows the token. */
  'rolled_forward',
  /** The immediate predecessor, within the grace period: nothing changed, and `session` is as the rotation left it. */
  'replayed',
  /** The generation was replayed `replayLimit` times. Nothing changed. */
  'busy',
  /** An older token, or a predecessor after the grace period: this call has ended the session. */
  'reused',
  /** The session was idle for too long, or is past its end. */
  'expired',
  /**
   * Ended by an earlier call: by `revoke`, `revokeAll`, `revokeOthers`, reuse, or a login that exceeded `maxPerUser`.
   */
  'revoked',
  /** The session never existed or is already deleted, or the token is further ahead than `rollForwardLimit`. */
  'unknown',
] as const;

/** The outcome of {@link SessionStore.rotate}. Only outcomes with a `session` lead to new tokens. */
export type RotateOutcome =
  | {
      readonly outcome: 'rotated' | 'rolled_forward' | 'replayed';
      readonly session: SessionRecord;
      readonly nowMs: number;
    }
  | {
      readonly outcome: Exclude<
        (typeof ROTATE_OUTCOMES)[number],
        'rotated' | 'rolled_forward' | 'replayed'
      >;
    };

/**
 * Sessions. Each is one login: a family of refresh tokens, of which only a counter is stored.
 *
 * Every method is **one atomic transition**: no process sees another call on the same user half done. A method that
 * throws, or does not settle within a second and a half, means "unavailable"; the transition may or may not have
 * happened, and the caller may repeat it: all methods are idempotent, except that a repeated `rotate` returns
 * `replayed`.
 *
 * Times come from the store's own clock if it has one, so that the clocks of processes need not agree.
 */
export interface SessionStore {
  /**
   * Starts a session at generation 1. If the user then has more than `maxPerUser`, the least recently rotated ones are
   * ended.
   *
   * Atomicity: the transition that stores the login decides whether a `revokeAll` has run since it began.
   *
   * Concurrency: `stale_login` if `now - loginAgeMs <= revokedAllAtMs`, the time of the user's last `revokeAll`:
   * within the same millisecond the order is unknown, and the login is rejected. A remote store, or one that waits for
   * a lock, adds the time that the call was pending to `loginAgeMs`: however slowly the call arrived, a login
   * that began before `revokeAll` resolved starts no session.
   *
   * Idempotency: repeated with the same `sessionId` it changes nothing and returns the current record, or `stale_login`
   * if a `revokeAll` has run in between. A session that has ended in between is not revived, so it is kept for as long
   * as a command may be sent again.
   */
  create(session: NewLogin, limits: { readonly maxPerUser: number }): Promise<CreateSessionOutcome>;

  /**
   * Exchanges generation `n` for `n + 1`.
   *
   * Concurrency: of any number of parallel calls with the same generation, exactly one returns `rotated`, and the
   * others `replayed` with the same successor.
   *
   * Expiry: `now >= expiresAtMs` or `now - rotatedAtMs >= idleMs` is `expired`, unless the session was ended before:
   * that is `revoked`, for as long as the store keeps it. The grace period is inclusive (`now - rotatedAtMs <=
   * graceMs`). A replay changes neither `rotatedAtMs` nor `expiresAtMs`.
   *
   * Security: `reused` ends the session before it resolves. A session of an older session version (see `revokeAll`) is
   * `revoked`.
   */
  rotate(request: RotateRequest): Promise<RotateOutcome>;

  /**
   * Whether the session is live: neither revoked, nor idle for too long, nor past `expiresAtMs`, nor of an older
   * session version. Here and in `list`, the idle timeout is the `idleMs` of its last rotation, or else of its
   * creation.
   *
   * Concurrency: sees every end of a session that has resolved, in any process. Data that outlives a session is kept
   * only if this returns `true` after it was stored.
   */
  isLive(ref: SessionRef): Promise<boolean>;

  /**
   * Ends one session. Once this resolves, no `rotate` of it succeeds, even if it was pending.
   *
   * Idempotency: returns whether this call ended the session; `false` if it was not live.
   */
  revoke(ref: SessionRef): Promise<boolean>;

  /**
   * Ends every session and every pending challenge of the user, by incrementing the user's session version. Once this
   * resolves, none of them can be used. Logins that begin later are not affected.
   *
   * Concurrency: the store keeps the time of this call, by its own clock, for at least an hour, even for an unknown
   * user. So a login that began before this call, and is stored after it, is a `stale_login`.
   */
  revokeAll(userId: string): Promise<void>;

  /**
   * Does the same as `revokeAll`, but keeps one session, unchanged, in the new session version. If this session is not
   * live, it is not revived, and all sessions end.
   *
   * Atomicity: the kept session is live at every moment, and no other session whose login began before this call is
   * kept.
   */
  revokeOthers(sessionToKeep: SessionRef): Promise<void>;

  /** The user's live sessions, most recently rotated first. */
  list(userId: string): Promise<readonly SessionRecord[]>;
}

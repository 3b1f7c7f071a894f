import type { AccountId } from '../account-id.ts';
/** Names one session. Both parts are needed, so that a store can keep all that a user has in one place. */
export interface SessionRef {
  readonly userId: string;
  readonly sessionId: string;
}

/** What a login fixes permanently: none of it changes while the session lives. JSON-safe. */
export interface SessionGrant<Id extends AccountId = AccountId> extends SessionRef {
  /** The scopes that were granted at login, canonical order. */
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

/** A login about to be stored. */
export interface NewSession extends SessionGrant {
  /** How long the session lives without a refresh, ms. */
  readonly idleMs: number;
  /** How long after its creation the session ends, whatever happens, ms. */
  readonly absoluteMs: number;
}

/** A session about to be stored by a login whose user was read a while ago. */
export interface NewLogin extends NewSession {
  /**
   * Time since core began to look the user up for this login, by the caller's monotonic clock, whole ms, rounded up.
   * The store derives from it when the login began, so the clocks need not agree.
   */
  readonly authenticationMs: number;
}

/** What came of {@link SessionStore.create}. */
export type CreateSessionOutcome =
  | { readonly outcome: 'created'; readonly session: SessionRecord }
  /** The login began before the user's last `revokeAll`, or `revokeOthers`. Nothing was stored. */
  | { readonly outcome: 'stale_login' };

/** A live session as the store holds it. Times are of the store's clock. */
export interface SessionRecord<Id extends AccountId = AccountId> extends SessionGrant<Id> {
  readonly createdAtMs: number;
  /** When the session ends, whatever happens. Never moved. */
  readonly expiresAtMs: number;
  /** When the newest refresh token was made; at first, `createdAtMs`. */
  readonly rotatedAtMs: number;
  /** Number of the newest refresh token; the login's own is 1. */
  readonly generation: number;
}

/** A refresh token that was presented, and the limits that hold for it. */
export interface RotateRequest extends SessionRef {
  /** Number of the refresh token that was presented. Core has proved its authenticity. */
  readonly generation: number;
  /** For how long after a rotation the immediate predecessor is answered with the same successor, ms. */
  readonly graceMs: number;
  /** How many such answers one generation may have. */
  readonly replayLimit: number;
  /** How long the session lives without a rotation, ms; each rotation starts it again. */
  readonly idleMs: number;
  /** How far an authentic token may be ahead of a store that lost writes in a failover. */
  readonly rollForwardLimit: number;
}

/** What came of {@link SessionStore.rotate}. Only outcomes with a `session` lead to new tokens. */
export type RotateOutcome =
  /** The presented token was the newest: `session.generation` is its successor. */
  | { readonly outcome: 'rotated'; readonly session: SessionRecord; readonly nowMs: number }
  /** The presented token is ahead of the store, which lost writes; the store followed it. */
  | { readonly outcome: 'rolled_forward'; readonly session: SessionRecord; readonly nowMs: number }
  /** The immediate predecessor, within the grace: nothing changed, `session` is as the winner left it. */
  | { readonly outcome: 'replayed'; readonly session: SessionRecord; readonly nowMs: number }
  /** The grace has been used `replayLimit` times. Nothing changed. */
  | { readonly outcome: 'busy' }
  /** An older token, or a predecessor after the grace: the session has been ended by this call. */
  | { readonly outcome: 'reused' }
  /** Idle for too long, or past its end. */
  | { readonly outcome: 'expired' }
  /** Ended before: by `revoke`, `revokeAll`, `revokeOthers`, reuse, or a login that was one too many (`maxPerUser`). */
  | { readonly outcome: 'revoked' }
  /** Never known, or forgotten. Also a token further ahead than `rollForwardLimit`. */
  | { readonly outcome: 'unknown' };

/**
 * Sessions: each is one login, a family of refresh tokens of which only a counter is stored.
 *
 * Every method is **one atomic transition**: no process sees another call on the same user half done. A method that
 * throws, or does not settle within a second and a half, means "unavailable"; the transition may or may not have
 * happened, and the caller may repeat it: all methods are idempotent, except that a repeated `rotate` is answered
 * `replayed`.
 *
 * Times come from the store's own clock where it has one, so that processes need not agree.
 */
export interface SessionStore {
  /**
   * Starts a session at generation 1. If the user then has more than `maxPerUser`, the least recently rotated ones are
   * ended.
   *
   * Atomicity: whether a `revokeAll` has overtaken the login is decided in the transition that stores it.
   *
   * Concurrency: `stale_login` where `now - authenticationMs <= revokedAllAtMs`, the time of the user's last
   * `revokeAll`: the same millisecond leaves a doubt, and in doubt it is rejected. A store beyond a network, or one
   * that waits for a lock, adds the time that the call was pending to `authenticationMs`: however slowly the call
   * arrived, a login that began before `revokeAll` resolved starts no session.
   *
   * Idempotency: the same `sessionId` again changes nothing and returns the record as it is now, or `stale_login` where
   * a `revokeAll` has come in between. A session that has ended since is not revived, so it is remembered for as long
   * as a command may be sent again.
   */
  create(session: NewLogin, limits: { readonly maxPerUser: number }): Promise<CreateSessionOutcome>;

  /**
   * Exchanges generation `n` for `n + 1`.
   *
   * Concurrency: of any number of parallel calls with the same generation, exactly one is answered `rotated`, the
   * others `replayed` with the same successor.
   *
   * Expiry: `now >= expiresAtMs` or `now - rotatedAtMs >= idleMs` is `expired`, unless the session was ended
   * before: that is `revoked`, for as long as it is remembered. Grace is inclusive
   * (`now - rotatedAtMs <= graceMs`). A replay moves neither `rotatedAtMs` nor `expiresAtMs`.
   *
   * Security: `reused` ends the session before it is answered. A session of an older user session version (see
   * `revokeAll`) is `revoked`.
   */
  rotate(request: RotateRequest): Promise<RotateOutcome>;

  /**
   * Whether the session lives: neither revoked, nor idle for too long, nor past `expiresAtMs`, nor of an older session
   * version. Here and in `list`, idleness is measured by the `idleMs` of its last rotation, or else of its creation.
   *
   * Concurrency: knows of every end that has been answered, at whatever process. Whatever outlives a session is kept
   * only if this is `true` after it was stored.
   */
  isLive(ref: SessionRef): Promise<boolean>;

  /**
   * Ends one session. Once this resolves, no `rotate` of it succeeds, even if it was pending.
   *
   * Idempotency: returns whether this call ended it; `false` where there was nothing left to end.
   */
  revoke(ref: SessionRef): Promise<boolean>;

  /**
   * Ends every session and every pending challenge of the user, by moving the user to a new session version. Once this
   * resolves, none of them can be used. Logins that begin later are not touched.
   *
   * Concurrency: the store remembers when this happened, by its own clock, for an hour at least, even for a user that
   * it did not know; so a login whose password is being checked meanwhile is `stale_login` when it is to be stored.
   */
  revokeAll(userId: string): Promise<void>;

  /**
   * Does what `revokeAll` does, but keeps this one session: it lives on as it was, in the new session version. If it is
   * not live, it is not brought back, and all of them end.
   *
   * Atomicity: at no moment is the kept session not live, and at no moment can another one begin that would be kept
   * too.
   */
  revokeOthers(kept: SessionRef): Promise<void>;

  /** The user's live sessions, most recently rotated first. */
  list(userId: string): Promise<readonly SessionRecord[]>;
}

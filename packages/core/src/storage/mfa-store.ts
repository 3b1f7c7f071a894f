import type { EncryptedStore } from './encrypted-store.ts';

/** An enrolled factor as the store holds it. The secret is under a key that the store never sees. */
export interface EnrolledFactor {
  readonly encryptedSecret: string;
  /** The enrolment that became this factor. */
  readonly enrolmentId: string;
  /** When a code proved it, ms of the store's clock. */
  readonly confirmedAtMs: number;
  /** Recovery codes that have not been used yet. */
  readonly recoveryCodesLeft: number;
}

/** A secret that was handed out, and that no code has proved yet. */
export interface PendingEnrolment {
  readonly enrolmentId: string;
  readonly encryptedSecret: string;
}

/** Hands out a secret to a session. */
export interface NewEnrolment extends PendingEnrolment {
  /** The login that began it, which alone can confirm it. */
  readonly sessionId: string;
  readonly ttlMs: number;
}

/** Turns a pending enrolment into a factor. */
export interface ConfirmEnrolment {
  /** The login that confirms it. */
  readonly sessionId: string;
  readonly enrolmentId: string;
  /** SHA-256 of each recovery code with the user's id, base64url. */
  readonly recoveryCodeHashes: readonly string[];
}

/**
 * Second factors, for teams whose users table has no columns for them.
 *
 * Atomicity: every method is one transition. Idempotency: every method but `consumeRecoveryCode` can be
 * repeated. All of a user's records are in one place.
 *
 * What is encrypted: the secret of each factor, owned by its user's id. Pending enrolments are not listed, as they
 * expire soon.
 */
export interface MfaStore extends EncryptedStore<string> {
  /**
   * Keeps a secret until a code proves it, for at most `ttlMs`. Replaces the pending one of the same session; those of
   * the user's other sessions stay, so that none can drop what another has begun. May forget what has expired.
   *
   * Idempotency: the same `enrolmentId` again neither lives longer, nor is pending again while the factor that it
   * became is there. Once that was removed it may be, for `ttlMs`: nothing is remembered of a removed factor.
   */
  begin(userId: string, enrolment: NewEnrolment): Promise<void>;

  /** The one that this session has begun. `null` where none is pending any more. */
  findPending(userId: string, sessionId: string): Promise<PendingEnrolment | null>;

  /**
   * Makes the pending secret the user's factor, in place of an older one and its recovery codes, and drops whatever is
   * pending for the user's other sessions. `false` where this session has no such enrolment pending any more.
   *
   * Concurrency: of parallel calls of several sessions exactly one returns `true`.
   *
   * Atomicity: of parallel calls with different recovery codes exactly one returns `true`. A repeat of that call
   * returns `true` too, and brings no used code back. Keep a digest of the codes to recognise it: a used code must not
   * stay in the storage.
   */
  confirm(userId: string, confirmation: ConfirmEnrolment): Promise<boolean>;

  /** The confirmed factor. `null`: the user has none, though one may be pending. */
  find(userId: string): Promise<EnrolledFactor | null>;

  /** Removes factor, recovery codes and what is pending. Returns whether there was a factor. */
  remove(userId: string): Promise<boolean>;

  /**
   * Removes the factor that this enrolment became, with its recovery codes: undoes a `confirm`. Returns whether it was
   * there. A factor of another enrolment stays, and so does what is pending.
   *
   * Concurrency: never removes a factor that is confirmed meanwhile.
   */
  removeEnrolled(userId: string, enrolmentId: string): Promise<boolean>;

  /**
   * Replaces all recovery codes. `false` where the user has no factor.
   *
   * Idempotency: giving the last codes again changes nothing: one that was used since stays used.
   */
  replaceRecoveryCodes(userId: string, recoveryCodeHashes: readonly string[]): Promise<boolean>;

  /** Uses a recovery code up. Atomicity: of parallel calls with one code exactly one returns `true`. */
  consumeRecoveryCode(userId: string, recoveryCodeHash: string): Promise<boolean>;
}

import type { EncryptedStore } from './encrypted-store.ts';

/** An enrolled factor as it is stored. The secret is encrypted with a key that the store never sees. */
export interface EnrolledFactor {
  readonly encryptedSecret: string;
  /** The enrolment that became this factor. */
  readonly enrolmentId: string;
  /** When a code confirmed it, ms of the store's clock. */
  readonly confirmedAtMs: number;
  /** Recovery codes that have not been used yet. */
  readonly recoveryCodesLeft: number;
}

/** A secret that was issued, but not yet confirmed by a code. */
export interface PendingEnrolment {
  readonly enrolmentId: string;
  readonly encryptedSecret: string;
  /** The store's time, for the verification of the code, ms. */
  readonly nowMs: number;
}

/** An enrolment that begins: a secret is issued to a session. */
export interface NewEnrolment extends Omit<PendingEnrolment, 'nowMs'> {
  /** The session that began the enrolment. Only this session can confirm it. */
  readonly sessionId: string;
  readonly ttlMs: number;
}

/** The confirmation of a pending enrolment, which becomes the factor. */
export interface ConfirmEnrolment {
  /** The session that confirms the enrolment. */
  readonly sessionId: string;
  readonly enrolmentId: string;
  /** SHA-256 of each recovery code with the user's id, base64url. */
  readonly recoveryCodeHashes: readonly string[];
}

/**
 * Second factors, for teams whose users table has no columns for them.
 *
 * Atomicity: every method is one transition. Idempotency: every method but `consumeRecoveryCode` can be repeated. All
 * records of a user are in one partition.
 *
 * What is encrypted: the secret of each factor, owned by its user's id. Pending enrolments are not listed, because they
 * expire soon.
 */
export interface MfaStore extends EncryptedStore<string> {
  /**
   * Stores a secret as pending until a code confirms it, for at most `ttlMs`. Replaces the pending enrolment of the
   * same session. Pending enrolments of the user's other sessions are kept, so that no session can drop the enrolment
   * of another. May delete expired enrolments.
   *
   * Idempotency: a repeated call neither extends the enrolment nor makes it pending again while its factor exists.
   * After that factor was removed, a repeated call may make it pending again for `ttlMs`, because nothing is kept of a
   * removed factor.
   */
  begin(userId: string, enrolment: NewEnrolment): Promise<void>;

  /** The pending enrolment of this session. `null`: there is none, or it has expired. */
  findPending(userId: string, sessionId: string): Promise<PendingEnrolment | null>;

  /**
   * Makes the pending secret the user's factor, which replaces an older factor and its recovery codes, and deletes the
   * pending enrolments of the user's other sessions. `false` if this session has no such pending enrolment.
   *
   * Concurrency: of parallel calls of several sessions, or with different recovery codes, exactly one returns `true`.
   *
   * Idempotency: a repeat of that call returns `true` too, and brings no used code back. To recognise a repeat, keep
   * one digest of all hashes as they were passed: the hash of a used code must not stay in the storage, so the stored
   * hashes cannot be compared with those of a repeat.
   */
  confirm(userId: string, confirmation: ConfirmEnrolment): Promise<boolean>;

  /** The confirmed factor. `null`: the user has none, though one may be pending. */
  find(userId: string): Promise<EnrolledFactor | null>;

  /** Removes the factor, its recovery codes and all pending enrolments. Returns whether there was a factor. */
  remove(userId: string): Promise<boolean>;

  /**
   * Removes the factor from this enrolment with its recovery codes, which undoes a `confirm`. Returns whether it
   * existed. A factor from another enrolment is kept, and so are pending enrolments.
   *
   * Concurrency: never removes a factor that another call confirms at the same time.
   */
  removeEnrolled(userId: string, enrolmentId: string): Promise<boolean>;

  /**
   * Replaces all recovery codes. `false` if the user has no factor.
   *
   * Idempotency: passing the same codes again changes nothing. A code that was used in between stays used.
   */
  replaceRecoveryCodes(userId: string, recoveryCodeHashes: readonly string[]): Promise<boolean>;

  /** Consumes a recovery code. Atomicity: of parallel calls with one code exactly one returns `true`. */
  consumeRecoveryCode(userId: string, recoveryCodeHash: string): Promise<boolean>;
}

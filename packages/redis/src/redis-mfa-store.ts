import type { ConfirmEnrolment, EnrolledFactor, MfaStore, PendingEnrolment } from '@latchhook/core';
import type { Keyspace } from './keyspace.ts';
import type { CallScript } from './script-caller.ts';
import { beginEnrolment } from './scripts/mfa/begin-enrolment.ts';
import { confirmEnrolment } from './scripts/mfa/confirm-enrolment.ts';
import { consumeRecoveryCode } from './scripts/mfa/consume-recovery-code.ts';
import { findFactor } from './scripts/mfa/find-factor.ts';
import { findPendingEnrolment } from './scripts/mfa/find-pending-enrolment.ts';
import { removeFactor } from './scripts/mfa/remove-factor.ts';
import { replaceRecoveryCodes } from './scripts/mfa/replace-recovery-codes.ts';

/** Second factors in Redis, in the slot of their users: each method is one script. */
export class RedisMfaStore implements MfaStore {
  readonly #call: CallScript;
  readonly #keyspace: Keyspace;

  constructor(call: CallScript, keyspace: Keyspace) {
    this.#call = call;
    this.#keyspace = keyspace;
  }

  begin(userId: string, enrolment: PendingEnrolment & { readonly ttlMs: number }): Promise<void> {
    return beginEnrolment(this.#call, this.#keyspace.ofFactor(userId), enrolment);
  }

  findPending(userId: string): Promise<PendingEnrolment | null> {
    return findPendingEnrolment(this.#call, this.#keyspace.ofFactor(userId));
  }

  confirm(userId: string, confirmation: ConfirmEnrolment): Promise<boolean> {
    return confirmEnrolment(this.#call, this.#keyspace.ofFactor(userId), confirmation);
  }

  find(userId: string): Promise<EnrolledFactor | null> {
    return findFactor(this.#call, this.#keyspace.ofFactor(userId));
  }

  remove(userId: string): Promise<boolean> {
    return removeFactor(this.#call, this.#keyspace.ofFactor(userId));
  }

  replaceRecoveryCodes(userId: string, recoveryCodeHashes: readonly string[]): Promise<boolean> {
    return replaceRecoveryCodes(this.#call, this.#keyspace.ofFactor(userId), recoveryCodeHashes);
  }

  consumeRecoveryCode(userId: string, recoveryCodeHash: string): Promise<boolean> {
    return consumeRecoveryCode(this.#call, this.#keyspace.ofFactor(userId), recoveryCodeHash);
  }
}

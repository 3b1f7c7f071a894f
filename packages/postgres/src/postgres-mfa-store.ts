import type {
  ConfirmEnrolment,
  EnrolledFactor,
  MfaStore,
  PendingEnrolment,
  SealedPage,
} from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { beginEnrolment } from './functions/mfa/begin-enrolment.ts';
import { confirmEnrolment } from './functions/mfa/confirm-enrolment.ts';
import { consumeRecoveryCode } from './functions/mfa/consume-recovery-code.ts';
import { findFactor } from './functions/mfa/find-factor.ts';
import { findPendingEnrolment } from './functions/mfa/find-pending-enrolment.ts';
import { listSealedFactors } from './functions/mfa/list-sealed-factors.ts';
import { removeEnrolledFactor } from './functions/mfa/remove-enrolled-factor.ts';
import { removeFactor } from './functions/mfa/remove-factor.ts';
import { replaceRecoveryCodes } from './functions/mfa/replace-recovery-codes.ts';
import { replaceSealedFactor } from './functions/mfa/replace-sealed-factor.ts';

/** Second factors in PostgreSQL: each method is one call of a function. */
export class PostgresMfaStore implements MfaStore {
  readonly #call: CallFunction;

  constructor(call: CallFunction) {
    this.#call = call;
  }

  begin(userId: string, enrolment: PendingEnrolment & { readonly ttlMs: number }): Promise<void> {
    return beginEnrolment(this.#call, userId, enrolment);
  }

  findPending(userId: string): Promise<PendingEnrolment | null> {
    return findPendingEnrolment(this.#call, userId);
  }

  confirm(userId: string, confirmation: ConfirmEnrolment): Promise<boolean> {
    return confirmEnrolment(this.#call, userId, confirmation);
  }

  find(userId: string): Promise<EnrolledFactor | null> {
    return findFactor(this.#call, userId);
  }

  remove(userId: string): Promise<boolean> {
    return removeFactor(this.#call, userId);
  }

  removeEnrolled(userId: string, enrolmentId: string): Promise<boolean> {
    return removeEnrolledFactor(this.#call, userId, enrolmentId);
  }

  replaceRecoveryCodes(userId: string, recoveryCodeHashes: readonly string[]): Promise<boolean> {
    return replaceRecoveryCodes(this.#call, userId, recoveryCodeHashes);
  }

  consumeRecoveryCode(userId: string, recoveryCodeHash: string): Promise<boolean> {
    return consumeRecoveryCode(this.#call, userId, recoveryCodeHash);
  }

  listSealed(page: {
    readonly limit: number;
    readonly cursor: string | null;
  }): Promise<SealedPage<string>> {
    return listSealedFactors(this.#call, page);
  }

  replaceSealed(
    userId: string,
    change: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean> {
    return replaceSealedFactor(this.#call, userId, change);
  }
}

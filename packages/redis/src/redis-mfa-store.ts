import type {
  ConfirmEnrolment,
  EnrolledFactor,
  MfaStore,
  PendingEnrolment,
  SealedPage,
} from '@latchhook/core/storage';
import type { Keyspace } from './keyspace.ts';
import type { ScannedKeys, ScanPage } from './scan-factor-keys.ts';
import type { CallScript } from './script-caller.ts';
import { beginEnrolment } from './scripts/mfa/begin-enrolment.ts';
import { confirmEnrolment } from './scripts/mfa/confirm-enrolment.ts';
import { consumeRecoveryCode } from './scripts/mfa/consume-recovery-code.ts';
import { findFactor } from './scripts/mfa/find-factor.ts';
import { findPendingEnrolment } from './scripts/mfa/find-pending-enrolment.ts';
import { findSealedFactor } from './scripts/mfa/find-sealed-factor.ts';
import { removeEnrolledFactor } from './scripts/mfa/remove-enrolled-factor.ts';
import { removeFactor } from './scripts/mfa/remove-factor.ts';
import { replaceRecoveryCodes } from './scripts/mfa/replace-recovery-codes.ts';
import { replaceSealedFactor } from './scripts/mfa/replace-sealed-factor.ts';

type ScanKeys = (page: ScanPage) => Promise<ScannedKeys>;

/** Second factors in Redis, in the slot of their users: each method is one script, except `listSealed`. */
export class RedisMfaStore implements MfaStore {
  readonly #call: CallScript;
  readonly #keyspace: Keyspace;
  readonly #scanKeys: ScanKeys;

  constructor(call: CallScript, keyspace: Keyspace, scanKeys: ScanKeys) {
    this.#call = call;
    this.#keyspace = keyspace;
    this.#scanKeys = scanKeys;
  }

  begin(userId: string, enrolment: PendingEnrolment & { readonly ttlMs: number }): Promise<void> {
    return beginEnrolment(this.#call, this.#keyspace.ofFactor(userId), enrolment);
  }

  findPending(userId: string): Promise<PendingEnrolment | null> {
    return findPendingEnrolment(this.#call, this.#keyspace.ofFactor(userId));
  }

  confirm(userId: string, confirmation: ConfirmEnrolment): Promise<boolean> {
    const keys = this.#keyspace.ofFactor(userId);
    return confirmEnrolment(this.#call, keys, userId, confirmation);
  }

  find(userId: string): Promise<EnrolledFactor | null> {
    return findFactor(this.#call, this.#keyspace.ofFactor(userId));
  }

  remove(userId: string): Promise<boolean> {
    return removeFactor(this.#call, this.#keyspace.ofFactor(userId));
  }

  removeEnrolled(userId: string, enrolmentId: string): Promise<boolean> {
    return removeEnrolledFactor(this.#call, this.#keyspace.ofFactor(userId), enrolmentId);
  }

  replaceRecoveryCodes(userId: string, recoveryCodeHashes: readonly string[]): Promise<boolean> {
    return replaceRecoveryCodes(this.#call, this.#keyspace.ofFactor(userId), recoveryCodeHashes);
  }

  consumeRecoveryCode(userId: string, recoveryCodeHash: string): Promise<boolean> {
    return consumeRecoveryCode(this.#call, this.#keyspace.ofFactor(userId), recoveryCodeHash);
  }

  async listSealed(page: ScanPage): Promise<SealedPage<string>> {
    const { keys, nextCursor } = await this.#scanKeys(page);
    const found = await Promise.all(keys.map((key) => findSealedFactor(this.#call, key)));
    return { items: found.filter((item) => item !== null), nextCursor };
  }

  replaceSealed(
    userId: string,
    change: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean> {
    return replaceSealedFactor(this.#call, this.#keyspace.ofFactor(userId), change);
  }
}

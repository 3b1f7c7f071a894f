import type { MfaStore } from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { beginEnrolment } from './functions/mfa/begin-enrolment.ts';
import { confirmEnrolment } from './functions/mfa/confirm-enrolment.ts';
import { consumeRecoveryCode } from './functions/mfa/consume-recovery-code.ts';
import { findFactor } from './functions/mfa/find-factor.ts';
import { findPendingEnrolment } from './functions/mfa/find-pending-enrolment.ts';
import { listEncryptedFactors } from './functions/mfa/list-encrypted-factors.ts';
import { removeEnrolledFactor } from './functions/mfa/remove-enrolled-factor.ts';
import { removeFactor } from './functions/mfa/remove-factor.ts';
import { replaceEncryptedFactor } from './functions/mfa/replace-encrypted-factor.ts';
import { replaceRecoveryCodes } from './functions/mfa/replace-recovery-codes.ts';

/** Second factors in PostgreSQL: each method is one call of a function. */
export function postgresMfa(call: CallFunction): MfaStore {
  return {
    begin: (userId, enrolment) => beginEnrolment(call, userId, enrolment),
    findPending: (userId, sessionId) => findPendingEnrolment(call, userId, sessionId),
    confirm: (userId, confirmation) => confirmEnrolment(call, userId, confirmation),
    find: (userId) => findFactor(call, userId),
    remove: (userId) => removeFactor(call, userId),
    removeEnrolled: (userId, enrolmentId) => removeEnrolledFactor(call, userId, enrolmentId),
    replaceRecoveryCodes: (userId, recoveryCodeHashes) =>
      replaceRecoveryCodes(call, userId, recoveryCodeHashes),
    consumeRecoveryCode: (userId, recoveryCodeHash) =>
      consumeRecoveryCode(call, userId, recoveryCodeHash),
    listEncrypted: (page) => listEncryptedFactors(call, page),
    replaceEncrypted: (userId, change) => replaceEncryptedFactor(call, userId, change),
  };
}

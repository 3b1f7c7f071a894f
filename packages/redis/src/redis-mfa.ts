import type { MfaStore } from '@latchhook/core/storage';
import type { Keyspace } from './keyspace.ts';
import type { ScannedKeys, ScanPage } from './scan-factor-keys.ts';
import type { CallScript } from './script-caller.ts';
import { beginEnrolment } from './scripts/mfa/begin-enrolment.ts';
import { confirmEnrolment } from './scripts/mfa/confirm-enrolment.ts';
import { consumeRecoveryCode } from './scripts/mfa/consume-recovery-code.ts';
import { findEncryptedFactor } from './scripts/mfa/find-encrypted-factor.ts';
import { findFactor } from './scripts/mfa/find-factor.ts';
import { findPendingEnrolment } from './scripts/mfa/find-pending-enrolment.ts';
import { removeEnrolledFactor } from './scripts/mfa/remove-enrolled-factor.ts';
import { removeFactor } from './scripts/mfa/remove-factor.ts';
import { replaceEncryptedFactor } from './scripts/mfa/replace-encrypted-factor.ts';
import { replaceRecoveryCodes } from './scripts/mfa/replace-recovery-codes.ts';

type ScanKeys = (page: ScanPage) => Promise<ScannedKeys>;

/** Second factors in Redis, in the slots of their users. Each method is one script, except `listEncrypted`. */
export function redisMfa(call: CallScript, keyspace: Keyspace, scanKeys: ScanKeys): MfaStore {
  const keysOf = (userId: string) => keyspace.ofFactor(userId);
  return {
    begin: (userId, enrolment) => beginEnrolment(call, keysOf(userId), enrolment),
    findPending: (userId, sessionId) => findPendingEnrolment(call, keysOf(userId), sessionId),
    confirm: (userId, confirmation) => confirmEnrolment(call, keysOf(userId), userId, confirmation),
    find: (userId) => findFactor(call, keysOf(userId)),
    remove: (userId) => removeFactor(call, keysOf(userId)),
    removeEnrolled: (userId, enrolmentId) =>
      removeEnrolledFactor(call, keysOf(userId), enrolmentId),
    replaceRecoveryCodes: (userId, recoveryCodeHashes) =>
      replaceRecoveryCodes(call, keysOf(userId), recoveryCodeHashes),
    consumeRecoveryCode: (userId, recoveryCodeHash) =>
      consumeRecoveryCode(call, keysOf(userId), recoveryCodeHash),
    listEncrypted: async (page) => {
      const { keys, nextCursor } = await scanKeys(page);
      const factors = await Promise.all(keys.map((key) => findEncryptedFactor(call, key)));
      return { items: factors.filter((factor) => factor !== null), nextCursor };
    },
    replaceEncrypted: (userId, change) => replaceEncryptedFactor(call, keysOf(userId), change),
  };
}

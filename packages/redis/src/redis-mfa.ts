import type { MfaStore } from '@latchhook/core/storage';
import type { ScannedKeys, ScanPage } from './scan-factor-keys.ts';
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
import type { StoreDeps } from './store-methods.ts';

type ScanKeys = (page: ScanPage) => Promise<ScannedKeys>;

/** Second factors in Redis, in the slots of their users. Each method is one script, except `listEncrypted`. */
export function redisMfa(deps: StoreDeps, scanKeys: ScanKeys): MfaStore {
  const findEncrypted = findEncryptedFactor(deps.call);
  return {
    begin: beginEnrolment(deps),
    findPending: findPendingEnrolment(deps),
    confirm: confirmEnrolment(deps),
    find: findFactor(deps),
    remove: removeFactor(deps),
    removeEnrolled: removeEnrolledFactor(deps),
    replaceRecoveryCodes: replaceRecoveryCodes(deps),
    consumeRecoveryCode: consumeRecoveryCode(deps),
    listEncrypted: async (page) => {
      const { keys, nextCursor } = await scanKeys(page);
      const factors = await Promise.all(keys.map(findEncrypted));
      return { items: factors.filter((factor) => factor !== null), nextCursor };
    },
    replaceEncrypted: replaceEncryptedFactor(deps),
  };
}

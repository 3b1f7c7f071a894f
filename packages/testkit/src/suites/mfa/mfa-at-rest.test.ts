import type { MfaStore } from '@latchhook/core/storage';
import { expectMfaFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { openReference } from '../../self-test/reference.ts';
import type { StorageHarness } from '../../storage-harness.ts';
import { mfaAtRest } from './mfa-at-rest.ts';

/** Works correctly, but has a log at rest. */
function withLog(
  changedMethods: (log: string[], mfa: MfaStore) => Partial<MfaStore>,
): StorageHarness {
  return {
    open: async ({ clock }) => {
      const log: string[] = [];
      const reference = openReference(clock);
      const mfa = { ...reference.mfa, ...changedMethods(log, reference.mfa) };
      return {
        connect: async () => ({ ...reference, mfa }),
        dump: async () => JSON.stringify(log),
        close: async () => {},
      };
    },
  };
}

const keepsSecrets = {
  'keeps removed secrets': withLog((log, mfa) => ({
    begin: (userId, enrolment) => {
      log.push(enrolment.encryptedSecret);
      return mfa.begin(userId, enrolment);
    },
  })),
};

const keepsCodes = {
  'keeps removed codes': withLog((log, mfa) => ({
    confirm: (userId, confirmation) => {
      log.push(...confirmation.recoveryCodeHashes);
      return mfa.confirm(userId, confirmation);
    },
  })),
};

expectMfaFaultsNoticed(mfaAtRest, {
  'keeps no secret or code of a removed factor': { ...keepsSecrets, ...keepsCodes },
  'keeps no secret or code of a replaced factor or enrolment': { ...keepsSecrets, ...keepsCodes },
  'keeps no used or replaced recovery code': {
    ...keepsCodes,
    'keeps used codes, marked as used': withLog((log, mfa) => ({
      consumeRecoveryCode: (userId, hash) => {
        log.push(`${hash} is used`);
        return mfa.consumeRecoveryCode(userId, hash);
      },
    })),
    'keeps replaced codes': withLog((log, mfa) => ({
      replaceRecoveryCodes: (userId, hashes) => {
        log.push(...hashes);
        return mfa.replaceRecoveryCodes(userId, hashes);
      },
    })),
  },
});

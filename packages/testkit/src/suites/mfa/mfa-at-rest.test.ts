import type { MfaStore } from '@latchhook/core/storage';
import type { MfaHarness } from '../../fixtures/mfa-fixture.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-mfa-faults-noticed.ts';
import { soundMfa } from '../../self-test/faulty-mfa.ts';
import { mfaAtRest } from './mfa-at-rest.ts';

/** Answers everything correctly, but keeps a log of what it was given. */
function logging(entriesOf: (log: string[], mfa: MfaStore) => Partial<MfaStore>): MfaHarness {
  return {
    open: async ({ clock }) => {
      const log: string[] = [];
      const sound = soundMfa(clock);
      const mfa = { ...sound, ...entriesOf(log, sound) };
      return {
        connect: async () => ({ mfa }),
        dump: async () => JSON.stringify(log),
        close: async () => {},
      };
    },
  };
}

const keepsSecrets = {
  'keeps secrets that are over': logging((log, mfa) => ({
    begin: (userId, enrolment) => {
      log.push(enrolment.encryptedSecret);
      return mfa.begin(userId, enrolment);
    },
  })),
};

const keepsCodes = {
  'keeps codes that are over': logging((log, mfa) => ({
    confirm: (userId, confirmation) => {
      log.push(...confirmation.recoveryCodeHashes);
      return mfa.confirm(userId, confirmation);
    },
  })),
};

expectMfaFaultsNoticed(mfaAtRest, {
  'holds nothing of a factor that was removed': { ...keepsSecrets, ...keepsCodes },
  'holds nothing of a secret that was replaced': { ...keepsSecrets, ...keepsCodes },
  'holds nothing of a code that was used or replaced': {
    ...keepsCodes,
    'marks a code as used': logging((log, mfa) => ({
      consumeRecoveryCode: (userId, hash) => {
        log.push(`${hash} is used`);
        return mfa.consumeRecoveryCode(userId, hash);
      },
    })),
    'keeps what was replaced': logging((log, mfa) => ({
      replaceRecoveryCodes: (userId, hashes) => {
        log.push(...hashes);
        return mfa.replaceRecoveryCodes(userId, hashes);
      },
    })),
  },
});

import type { MfaStore } from '@latchhook/core/storage';
import { ENROLLING } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyMfa, faultyResults } from '../../self-test/faulty-storage.ts';
import { mfaRepeats } from './mfa-repeats.ts';

/** Treats each call of `begin` as a new enrolment. */
function restartEnrolments(mfa: MfaStore): Partial<MfaStore> {
  let i = 0;
  const storedId = (enrolmentId: string) => `${enrolmentId} ${i}`;
  return {
    begin: (userId, enrolment) => {
      i += 1;
      return mfa.begin(userId, { ...enrolment, enrolmentId: storedId(enrolment.enrolmentId) });
    },
    findPending: async (userId, sessionId) => {
      const pending = await mfa.findPending(userId, sessionId);
      return pending && { ...pending, enrolmentId: pending.enrolmentId.split(' ')[0] ?? '' };
    },
    confirm: (userId, confirmation) =>
      mfa.confirm(userId, { ...confirmation, enrolmentId: storedId(confirmation.enrolmentId) }),
  };
}

/** Never forgets an enrolment, and enrols the factor again with each confirmation. */
function reconfirmEnrolments(mfa: MfaStore): Partial<MfaStore> {
  const secrets = new Map<string, string>();
  let i = 0;
  return {
    begin: (userId, enrolment) => {
      secrets.set(enrolment.enrolmentId, enrolment.encryptedSecret);
      return mfa.begin(userId, enrolment);
    },
    confirm: async (userId, { sessionId, enrolmentId, recoveryCodeHashes }) => {
      const encryptedSecret = secrets.get(enrolmentId);
      if (encryptedSecret === undefined) return false;
      i += 1;
      const newId = `${enrolmentId} ${i}`;
      await mfa.begin(userId, { sessionId, enrolmentId: newId, encryptedSecret, ttlMs: 1000 });
      return mfa.confirm(userId, { sessionId, enrolmentId: newId, recoveryCodeHashes });
    },
  };
}

const repeatedConfirmation = { 'confirms the enrolment again': faultyMfa(reconfirmEnrolments) };

const repeatedCodeStorage = {
  'stores the codes again': faultyMfa((mfa) => ({
    replaceRecoveryCodes: async (userId, hashes) => {
      await mfa.replaceRecoveryCodes(userId, []);
      return mfa.replaceRecoveryCodes(userId, hashes);
    },
  })),
};

expectMfaFaultsNoticed(mfaRepeats, {
  'does not extend an enrolment if begin() is repeated': {
    'restarts ttlMs': faultyMfa(restartEnrolments),
    'drops the pending enrolment': faultyMfa((mfa) => ({
      begin: async (userId, enrolment) => {
        const isPending = (await mfa.findPending(userId, ENROLLING)) !== null;
        await (isPending ? mfa.remove(userId) : mfa.begin(userId, enrolment));
      },
    })),
  },
  'does not revive a confirmed enrolment if begin() is repeated': {
    'begins a new enrolment': faultyMfa(restartEnrolments),
  },
  'returns true if confirm() is repeated, without reviving used or replaced codes': {
    ...repeatedConfirmation,
    'rejects a repeated call': faultyMfa((mfa) => ({
      confirm: async (userId, confirmation) =>
        (await mfa.findPending(userId, ENROLLING)) !== null && mfa.confirm(userId, confirmation),
    })),

    'recognises a repeated confirmation by the current codes': faultyMfa((mfa) => {
      let currentCodes = '';
      return {
        confirm: async (userId, confirmation) => {
          const isRepeat = (await mfa.findPending(userId, ENROLLING)) === null;
          if (isRepeat) return currentCodes === confirmation.recoveryCodeHashes.join();
          currentCodes = confirmation.recoveryCodeHashes.join();
          return mfa.confirm(userId, confirmation);
        },
        replaceRecoveryCodes: (userId, hashes) => {
          currentCodes = hashes.join();
          return mfa.replaceRecoveryCodes(userId, hashes);
        },
      };
    }),
  },
  'returns false if confirm() is repeated with other codes': {
    ...repeatedConfirmation,
    'recognises a repeated confirmation by the enrolment only': faultyMfa((mfa) => {
      const confirmedIds = new Set<string>();
      return {
        confirm: async (userId, confirmation) => {
          const { enrolmentId } = confirmation;
          if (confirmedIds.has(enrolmentId)) return true;
          const isConfirmed = await mfa.confirm(userId, confirmation);
          if (isConfirmed) confirmedIds.add(enrolmentId);
          return isConfirmed;
        },
      };
    }),
  },
  'does not revive a removed factor if confirm() is repeated': repeatedConfirmation,
  'keeps another pending enrolment if confirm() is repeated': {
    'confirms the other enrolment': faultyMfa((mfa) => {
      let confirmedId = '';
      return {
        confirm: async (userId, confirmation) => {
          const pending = await mfa.findPending(userId, ENROLLING);
          if (confirmedId !== confirmation.enrolmentId) {
            confirmedId = confirmation.enrolmentId;
            return mfa.confirm(userId, confirmation);
          }
          return pending !== null && mfa.confirm(userId, { ...confirmation, ...pending });
        },
      };
    }),
  },
  'revives no used code if replaceRecoveryCodes() repeats those of confirm()': repeatedCodeStorage,
  'revives no used code if replaceRecoveryCodes() is repeated': {
    ...repeatedCodeStorage,
    'rejects a repeated call': faultyMfa((mfa) => {
      let isReplaced = false;
      return {
        replaceRecoveryCodes: async (userId, hashes) => {
          if (isReplaced) return false;
          isReplaced = true;
          return mfa.replaceRecoveryCodes(userId, hashes);
        },
      };
    }),
  },
  'keeps a newer factor if removeEnrolled() is repeated': {
    'removes any factor': faultyMfa((mfa) => ({ removeEnrolled: mfa.remove })),
    'returns true again': faultyResults('mfa', 'removeEnrolled', () => true),
  },
});

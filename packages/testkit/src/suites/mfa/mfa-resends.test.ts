import type { MfaStore } from '@latchhook/core/storage';
import { ENROLLING } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-mfa-faults-noticed.ts';
import { mfaThat } from '../../self-test/faulty-mfa.ts';
import { mfaResends } from './mfa-resends.ts';

/** Treats every `begin` as a new enrolment. */
function beginningAnew(mfa: MfaStore): Partial<MfaStore> {
  let nth = 0;
  const named = (enrolmentId: string) => `${enrolmentId} ${nth}`;
  return {
    begin: (userId, enrolment) => {
      nth += 1;
      return mfa.begin(userId, { ...enrolment, enrolmentId: named(enrolment.enrolmentId) });
    },
    findPending: async (userId, sessionId) => {
      const pending = await mfa.findPending(userId, sessionId);
      return pending && { ...pending, enrolmentId: pending.enrolmentId.split(' ')[0] ?? '' };
    },
    confirm: (userId, confirmation) =>
      mfa.confirm(userId, { ...confirmation, enrolmentId: named(confirmation.enrolmentId) }),
  };
}

/** Never forgets an enrolment, and makes it the factor whenever it is confirmed. */
function confirmingAnew(mfa: MfaStore): Partial<MfaStore> {
  const secrets = new Map<string, string>();
  let nth = 0;
  return {
    begin: (userId, enrolment) => {
      secrets.set(enrolment.enrolmentId, enrolment.encryptedSecret);
      return mfa.begin(userId, enrolment);
    },
    confirm: async (userId, { sessionId, enrolmentId, recoveryCodeHashes }) => {
      const encryptedSecret = secrets.get(enrolmentId);
      if (encryptedSecret === undefined) return false;
      nth += 1;
      const again = `${enrolmentId} ${nth}`;
      await mfa.begin(userId, { sessionId, enrolmentId: again, encryptedSecret, ttlMs: 1000 });
      return mfa.confirm(userId, { sessionId, enrolmentId: again, recoveryCodeHashes });
    },
  };
}

const confirmsAnew = { 'confirms it again': mfaThat(confirmingAnew) };

const writesCodesAgain = {
  'writes them again': mfaThat((mfa) => ({
    replaceRecoveryCodes: async (userId, hashes) => {
      await mfa.replaceRecoveryCodes(userId, []);
      return mfa.replaceRecoveryCodes(userId, hashes);
    },
  })),
};

expectMfaFaultsNoticed(mfaResends, {
  'an enrolment begun again is pending no longer than it was': {
    'restarts its time': mfaThat(beginningAnew),
    'drops it': mfaThat((mfa) => ({
      begin: async (userId, enrolment) => {
        const isPending = (await mfa.findPending(userId, ENROLLING)) !== null;
        await (isPending ? mfa.remove(userId) : mfa.begin(userId, enrolment));
      },
    })),
  },
  'an enrolment begun again after it was confirmed is not pending': {
    'takes it for a new one': mfaThat(beginningAnew),
  },
  'a confirmation sent again is answered like the first, and revives no used code': {
    ...confirmsAnew,
    'rejects a repeat': mfaThat((mfa) => ({
      confirm: async (userId, confirmation) =>
        (await mfa.findPending(userId, ENROLLING)) !== null && mfa.confirm(userId, confirmation),
    })),
  },
  'a confirmation sent again with other codes is rejected': {
    ...confirmsAnew,
    'knows an enrolment again, but not its codes': mfaThat((mfa) => {
      const confirmed = new Set<string>();
      return {
        confirm: async (userId, confirmation) => {
          const { enrolmentId } = confirmation;
          if (confirmed.has(enrolmentId)) return true;
          const isConfirmed = await mfa.confirm(userId, confirmation);
          if (isConfirmed) confirmed.add(enrolmentId);
          return isConfirmed;
        },
      };
    }),
  },
  'a confirmation sent again after the codes were replaced leaves the new ones': {
    ...confirmsAnew,
    'knows a repeat by the codes in force': mfaThat((mfa) => {
      let inForce = '';
      return {
        confirm: async (userId, confirmation) => {
          const isRepeat = (await mfa.findPending(userId, ENROLLING)) === null;
          if (isRepeat) return inForce === confirmation.recoveryCodeHashes.join();
          inForce = confirmation.recoveryCodeHashes.join();
          return mfa.confirm(userId, confirmation);
        },
        replaceRecoveryCodes: (userId, hashes) => {
          inForce = hashes.join();
          return mfa.replaceRecoveryCodes(userId, hashes);
        },
      };
    }),
  },
  'a confirmation sent again after the factor was removed revives nothing': confirmsAnew,
  'a confirmation sent again while another is pending leaves that one': {
    'drops the other': mfaThat((mfa) => {
      let confirmed = '';
      return {
        confirm: async (userId, confirmation) => {
          const pending = await mfa.findPending(userId, ENROLLING);
          if (confirmed !== confirmation.enrolmentId) {
            confirmed = confirmation.enrolmentId;
            return mfa.confirm(userId, confirmation);
          }
          return pending !== null && mfa.confirm(userId, { ...confirmation, ...pending });
        },
      };
    }),
  },
  'codes given again that came with the confirmation revive none that was used': writesCodesAgain,
  'codes replaced again revive none that was used': {
    ...writesCodesAgain,
    'rejects a repeat': mfaThat((mfa) => {
      let replaced = false;
      return {
        replaceRecoveryCodes: async (userId, hashes) => {
          if (replaced) return false;
          replaced = true;
          return mfa.replaceRecoveryCodes(userId, hashes);
        },
      };
    }),
  },
  'a removal sent again finds nothing more to remove': {
    'says again that it did': mfaThat((mfa) => ({
      remove: async (userId) => (await mfa.remove(userId)) || true,
    })),
  },
  'a removal by enrolment sent again spares the factor enrolled since': {
    'removes whatever there is': mfaThat((mfa) => ({ removeEnrolled: mfa.remove })),
    'says again that it did': mfaThat((mfa) => ({
      removeEnrolled: async (userId, enrolmentId) =>
        (await mfa.removeEnrolled(userId, enrolmentId)) || true,
    })),
  },
});

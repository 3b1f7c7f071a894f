import { codeHashes, ENROLLING } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-mfa-faults-noticed.ts';
import { mfaThat } from '../../self-test/faulty-mfa.ts';
import { mfaRemoval } from './mfa-removal.ts';

/** Keeps the codes of a factor that was removed. */
const keepsCodes = mfaThat((mfa) => {
  const kept = new Set(codeHashes('e1'));
  return {
    consumeRecoveryCode: async (userId, hash) =>
      (await mfa.consumeRecoveryCode(userId, hash)) || kept.delete(hash),
  };
});

/** Removes the factor, but puts back the pending enrolment. */
const keepsWhatIsPending = mfaThat((mfa) => ({
  remove: async (userId) => {
    const pending = await mfa.findPending(userId, ENROLLING);
    const isRemoved = await mfa.remove(userId);
    if (pending !== null)
      await mfa.begin(userId, { ...pending, sessionId: ENROLLING, ttlMs: 1000 });
    return isRemoved;
  },
}));

expectMfaFaultsNoticed(mfaRemoval, {
  'removes the factor, its codes and what is pending': {
    'removes nothing': mfaThat(() => ({ remove: async () => true })),
    'keeps the codes': keepsCodes,
    'keeps what is pending': keepsWhatIsPending,
  },
  'answers whether there was a factor': {
    'always says so': mfaThat((mfa) => ({
      remove: async (userId) => (await mfa.remove(userId)) || true,
    })),
    'counts what is pending': mfaThat((mfa) => ({
      remove: async (userId) => {
        const isPending = (await mfa.findPending(userId, ENROLLING)) !== null;
        return (await mfa.remove(userId)) || isPending;
      },
    })),
    'keeps what is pending': keepsWhatIsPending,
  },
  'leaves other users alone': {
    'removes everybody’s': mfaThat((mfa) => ({
      remove: async (userId) => {
        await mfa.remove('user-grace');
        return mfa.remove(userId);
      },
    })),
  },
  'by enrolment removes its factor and codes': {
    'removes nothing': mfaThat(() => ({ removeEnrolled: async () => true })),
    'keeps the codes': keepsCodes,
    'looks for the enrolment alone': mfaThat((mfa) => ({
      removeEnrolled: async (userId, enrolmentId) => {
        await mfa.removeEnrolled('user-grace', enrolmentId);
        return mfa.removeEnrolled(userId, enrolmentId);
      },
    })),
  },
  'by enrolment leaves what is pending, and any other factor': {
    'removes whatever there is': mfaThat((mfa) => ({ removeEnrolled: mfa.remove })),
    'drops what is pending': mfaThat((mfa) => ({
      removeEnrolled: async (userId, enrolmentId) => {
        const factor = await mfa.find(userId);
        return factor?.enrolmentId === enrolmentId && mfa.remove(userId);
      },
    })),
  },
  'lets another factor be enrolled, which the old codes do not belong to': {
    'bars the user for good': mfaThat((mfa) => {
      const barred = new Set<string>();
      return {
        remove: (userId) => {
          barred.add(userId);
          return mfa.remove(userId);
        },
        confirm: async (userId, confirmation) =>
          !barred.has(userId) && mfa.confirm(userId, confirmation),
      };
    }),
    'keeps the codes': keepsCodes,
  },
});

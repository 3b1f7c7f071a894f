import { codeHashes, ENROLLING } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyMfa, faultyResults } from '../../self-test/faulty-storage.ts';
import { mfaRemoval } from './mfa-removal.ts';

/** Accepts the codes of a removed factor. */
const keepsCodes = faultyMfa((mfa) => {
  const oldCodes = new Set(codeHashes('e1'));
  return {
    consumeRecoveryCode: async (userId, hash) =>
      (await mfa.consumeRecoveryCode(userId, hash)) || oldCodes.delete(hash),
  };
});

/** Removes the factor, but keeps the pending enrolment. */
const keepsPendingEnrolment = faultyMfa((mfa) => ({
  remove: async (userId) => {
    const pending = await mfa.findPending(userId, ENROLLING);
    const isRemoved = await mfa.remove(userId);
    if (pending !== null)
      await mfa.begin(userId, { ...pending, sessionId: ENROLLING, ttlMs: 1000 });
    return isRemoved;
  },
}));

expectMfaFaultsNoticed(mfaRemoval, {
  'removes factor, codes and pending enrolments of the user on remove()': {
    'removes nothing': faultyMfa(() => ({ remove: async () => true })),
    'keeps the codes': keepsCodes,
    'keeps the pending enrolment': keepsPendingEnrolment,
  },
  'returns from remove() whether the user had a factor': {
    'always returns true': faultyResults('mfa', 'remove', () => true),
    'returns true for a pending enrolment': faultyMfa((mfa) => ({
      remove: async (userId) => {
        const isPending = (await mfa.findPending(userId, ENROLLING)) !== null;
        return (await mfa.remove(userId)) || isPending;
      },
    })),
    'keeps the pending enrolment': keepsPendingEnrolment,
  },
  'keeps factor and enrolment of other users on remove()': {
    'removes factors of other users': faultyMfa((mfa) => ({
      remove: async (userId) => {
        await mfa.remove('user-grace');
        return mfa.remove(userId);
      },
    })),
  },
  'removes the factor and its codes on removeEnrolled()': {
    'removes nothing': faultyMfa(() => ({ removeEnrolled: async () => true })),
    'keeps the codes': keepsCodes,
    'ignores the user id': faultyMfa((mfa) => ({
      removeEnrolled: async (userId, enrolmentId) => {
        await mfa.removeEnrolled('user-grace', enrolmentId);
        return mfa.removeEnrolled(userId, enrolmentId);
      },
    })),
  },
  'keeps pending enrolments and any other factor on removeEnrolled()': {
    'removes any factor': faultyMfa((mfa) => ({ removeEnrolled: mfa.remove })),
    'drops the pending enrolment': faultyMfa((mfa) => ({
      removeEnrolled: async (userId, enrolmentId) => {
        const factor = await mfa.find(userId);
        return factor?.enrolmentId === enrolmentId && mfa.remove(userId);
      },
    })),
  },
  'rejects codes of a removed factor after another enrolment': {
    'rejects every later enrolment of the user': faultyMfa((mfa) => {
      const removedUsers = new Set<string>();
      return {
        remove: (userId) => {
          removedUsers.add(userId);
          return mfa.remove(userId);
        },
        confirm: async (userId, confirmation) =>
          !removedUsers.has(userId) && mfa.confirm(userId, confirmation),
      };
    }),
    'keeps the codes': keepsCodes,
  },
});

import { codeHashes } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-mfa-faults-noticed.ts';
import { mfaThat } from '../../self-test/faulty-mfa.ts';
import { recoveryCodes } from './recovery-codes.ts';

const removesWithTheLast = mfaThat((mfa) => ({
  consumeRecoveryCode: async (userId, hash) => {
    const isTaken = await mfa.consumeRecoveryCode(userId, hash);
    if ((await mfa.find(userId))?.recoveryCodesLeft === 0) await mfa.remove(userId);
    return isTaken;
  },
}));

/** Adds codes instead of replacing them. */
const keepsOldCodes = mfaThat((mfa) => {
  const old = new Set(codeHashes('e1'));
  return {
    consumeRecoveryCode: async (userId, hash) =>
      (await mfa.consumeRecoveryCode(userId, hash)) || old.delete(hash),
  };
});

expectMfaFaultsNoticed(recoveryCodes, {
  'are used once each, and counted': {
    'takes them again and again': mfaThat(() => {
      const codes = new Set(codeHashes('e1'));
      return { consumeRecoveryCode: async (_userId, hash) => codes.has(hash) };
    }),
    'counts what was given': mfaThat((mfa) => ({
      find: async (userId) => {
        const factor = await mfa.find(userId);
        return factor && { ...factor, recoveryCodesLeft: 10 };
      },
    })),
    'uses all of them up with the first': mfaThat((mfa) => ({
      consumeRecoveryCode: async (userId, hash) => {
        const isTaken = await mfa.consumeRecoveryCode(userId, hash);
        if (isTaken) await mfa.replaceRecoveryCodes(userId, []);
        return isTaken;
      },
    })),
  },
  'leave the factor as it is when the last one is used': {
    'removes it with the last': removesWithTheLast,
  },
  'belong to their own user only': {
    'looks codes up by their hashes': mfaThat((mfa) => ({
      consumeRecoveryCode: async (userId, hash) =>
        (await mfa.consumeRecoveryCode(userId, hash)) ||
        mfa.consumeRecoveryCode('user-grace', hash),
    })),
    'counts a wrong one': mfaThat((mfa) => {
      let wrong = 0;
      return {
        consumeRecoveryCode: async (userId, hash) => {
          const isTaken = await mfa.consumeRecoveryCode(userId, hash);
          if (!isTaken) wrong += 1;
          return isTaken;
        },
        find: async (userId) => {
          const factor = await mfa.find(userId);
          return factor && { ...factor, recoveryCodesLeft: factor.recoveryCodesLeft - wrong };
        },
      };
    }),
  },
  'are replaced all at once, and nothing else is': {
    'keeps old ones': keepsOldCodes,
    'replaces nothing': mfaThat(() => ({ replaceRecoveryCodes: async () => true })),
    'replaces everybody’s': mfaThat((mfa) => ({
      replaceRecoveryCodes: async (userId, hashes) => {
        await mfa.replaceRecoveryCodes('user-grace', hashes);
        return mfa.replaceRecoveryCodes(userId, hashes);
      },
    })),
    'changes the date of the factor': mfaThat((mfa, clock) => {
      let changedAtMs: number | undefined;
      return {
        replaceRecoveryCodes: (userId, hashes) => {
          changedAtMs = clock.nowMs();
          return mfa.replaceRecoveryCodes(userId, hashes);
        },
        find: async (userId) => {
          const factor = await mfa.find(userId);
          return factor && { ...factor, confirmedAtMs: changedAtMs ?? factor.confirmedAtMs };
        },
      };
    }),
  },
  'may be an empty set': {
    'takes none for no replacement': mfaThat((mfa) => ({
      replaceRecoveryCodes: async (userId, hashes) =>
        hashes.length === 0 || mfa.replaceRecoveryCodes(userId, hashes),
    })),
    'rejects a factor without them': mfaThat((mfa) => ({
      confirm: async (userId, confirmation) =>
        confirmation.recoveryCodeHashes.length > 0 && mfa.confirm(userId, confirmation),
    })),
  },
  'belong to a factor: without one, none are kept': {
    'keeps them without one': mfaThat((mfa) => {
      const codes = new Set<string>();
      return {
        replaceRecoveryCodes: async (userId, hashes) => {
          for (const hash of hashes) codes.add(hash);
          return mfa.replaceRecoveryCodes(userId, hashes);
        },
        consumeRecoveryCode: async (_userId, hash) => codes.delete(hash),
      };
    }),
    'says that it replaced them': mfaThat((mfa) => ({
      replaceRecoveryCodes: async (userId, hashes) =>
        (await mfa.replaceRecoveryCodes(userId, hashes)) || true,
    })),
  },
});

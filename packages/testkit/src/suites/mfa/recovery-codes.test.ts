import { codeHashes } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyMfa, faultyResults } from '../../self-test/faulty-storage.ts';
import { recoveryCodes } from './recovery-codes.ts';

const removesFactorWithLastCode = faultyMfa((mfa) => ({
  consumeRecoveryCode: async (userId, hash) => {
    const isConsumed = await mfa.consumeRecoveryCode(userId, hash);
    if ((await mfa.find(userId))?.recoveryCodesLeft === 0) await mfa.remove(userId);
    return isConsumed;
  },
}));

/** Adds codes instead of replacing them. */
const keepsOldCodes = faultyMfa((mfa) => {
  const oldCodes = new Set(codeHashes('e1'));
  return {
    consumeRecoveryCode: async (userId, hash) =>
      (await mfa.consumeRecoveryCode(userId, hash)) || oldCodes.delete(hash),
  };
});

expectMfaFaultsNoticed(recoveryCodes, {
  'consumes each code once and counts the remaining codes': {
    'accepts used codes again': faultyMfa(() => {
      const codes = new Set(codeHashes('e1'));
      return { consumeRecoveryCode: async (_userId, hash) => codes.has(hash) };
    }),
    'counts used codes as left': faultyResults(
      'mfa',
      'find',
      (factor) => factor && { ...factor, recoveryCodesLeft: 10 },
    ),
    'consumes all codes with the first': faultyMfa((mfa) => ({
      consumeRecoveryCode: async (userId, hash) => {
        const isConsumed = await mfa.consumeRecoveryCode(userId, hash);
        if (isConsumed) await mfa.replaceRecoveryCodes(userId, []);
        return isConsumed;
      },
    })),
  },
  'keeps the factor when the last code is used': {
    'removes the factor with the last code': removesFactorWithLastCode,
  },
  'rejects a code of another user without consuming it': {
    'accepts codes of other users': faultyMfa((mfa) => ({
      consumeRecoveryCode: async (userId, hash) =>
        (await mfa.consumeRecoveryCode(userId, hash)) ||
        mfa.consumeRecoveryCode('user-grace', hash),
    })),
    'counts a wrong code as used': faultyMfa((mfa) => {
      let rejections = 0;
      return {
        consumeRecoveryCode: async (userId, hash) => {
          const isConsumed = await mfa.consumeRecoveryCode(userId, hash);
          if (!isConsumed) rejections += 1;
          return isConsumed;
        },
        find: async (userId) => {
          const factor = await mfa.find(userId);
          return factor && { ...factor, recoveryCodesLeft: factor.recoveryCodesLeft - rejections };
        },
      };
    }),
  },
  'replaces only the codes of the named user': {
    'keeps old codes': keepsOldCodes,
    'replaces nothing': faultyMfa(() => ({ replaceRecoveryCodes: async () => true })),
    'replaces codes of other users too': faultyMfa((mfa) => ({
      replaceRecoveryCodes: async (userId, hashes) => {
        await mfa.replaceRecoveryCodes('user-grace', hashes);
        return mfa.replaceRecoveryCodes(userId, hashes);
      },
    })),
    'changes confirmedAtMs': faultyMfa((mfa, { clock }) => {
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
  'accepts an empty set of codes': {
    'ignores an empty replacement': faultyMfa((mfa) => ({
      replaceRecoveryCodes: async (userId, hashes) =>
        hashes.length === 0 || mfa.replaceRecoveryCodes(userId, hashes),
    })),
    'rejects a factor without codes': faultyMfa((mfa) => ({
      confirm: async (userId, confirmation) =>
        confirmation.recoveryCodeHashes.length > 0 && mfa.confirm(userId, confirmation),
    })),
  },
  'stores no codes for a user without a factor': {
    'stores codes without a factor': faultyMfa((mfa) => {
      const codes = new Set<string>();
      return {
        replaceRecoveryCodes: async (userId, hashes) => {
          for (const hash of hashes) codes.add(hash);
          return mfa.replaceRecoveryCodes(userId, hashes);
        },
        consumeRecoveryCode: async (_userId, hash) => codes.delete(hash),
      };
    }),
    'always returns true': faultyResults('mfa', 'replaceRecoveryCodes', () => true),
  },
});

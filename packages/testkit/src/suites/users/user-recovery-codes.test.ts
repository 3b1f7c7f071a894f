import { expectUserFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyUsers, readThenWriteUsers } from '../../self-test/faulty-users.ts';
import { userRecoveryCodes } from './user-recovery-codes.ts';

const neverConsumes = faultyUsers((_reference, table) => ({
  consumeRecoveryCode: async (userId, code) => table.codes.get(userId)?.has(code) === true,
}));

const acceptsAnyCode = faultyUsers((reference) => ({
  consumeRecoveryCode: async (userId, code) => {
    await reference.consumeRecoveryCode(userId, code);
    return true;
  },
}));

const consumesAllCodes = faultyUsers((reference, table) => ({
  consumeRecoveryCode: async (userId, code) => {
    const isConsumed = await reference.consumeRecoveryCode(userId, code);
    table.codes.get(userId)?.clear();
    return isConsumed;
  },
}));

/** Compares the code only, as `DELETE ... WHERE code_hash = ?`. */
const ignoresUser = faultyUsers((reference) => ({
  consumeRecoveryCode: async (_userId, code) => {
    const results = await Promise.all(
      ['user-1', 'user-2'].map((userId) => reference.consumeRecoveryCode(userId, code)),
    );
    return results.includes(true);
  },
}));

expectUserFaultsNoticed(userRecoveryCodes, {
  'consumes each code once': {
    'never consumes a code': neverConsumes,
    'consumes all codes with the first': consumesAllCodes,
    'returns a number': faultyUsers((reference) => ({
      consumeRecoveryCode: async (userId, code) =>
        Number(await reference.consumeRecoveryCode(userId, code)) as never,
    })),
  },
  'rejects an unknown code': {
    'accepts any code': acceptsAnyCode,
    'consumes all codes with a wrong one': consumesAllCodes,
  },
  'accepts a code for its own user only, even if two users have the same code': {
    'ignores the user': ignoresUser,
  },
  'rejects codes of a removed user': {
    'accepts codes of removed users': faultyUsers((reference, table) => ({
      consumeRecoveryCode: async (userId, code) =>
        (await reference.consumeRecoveryCode(userId, code)) || !table.users.has(userId),
    })),
  },
  'consumes a code once under 32 parallel calls': {
    'reads and writes non-atomically': readThenWriteUsers,
    'never consumes a code': neverConsumes,
  },
  'consumes eight codes once each under 32 parallel calls': {
    'reads and writes non-atomically': readThenWriteUsers,
    'accepts any code': acceptsAnyCode,
  },
});

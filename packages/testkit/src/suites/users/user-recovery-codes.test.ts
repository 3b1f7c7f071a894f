import { expectUserFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyUsers, readThenWriteUsers } from '../../self-test/faulty-users.ts';
import { userRecoveryCodes } from './user-recovery-codes.ts';

const neverConsumes = faultyUsers((_sound, table) => ({
  consumeRecoveryCode: async (userId, code) => table.hasCode(userId, code),
}));

const acceptsAnyCode = faultyUsers((sound) => ({
  consumeRecoveryCode: async (userId, code) =>
    (await sound.consumeRecoveryCode(userId, code)) || true,
}));

const consumesAllCodes = faultyUsers((sound, table) => ({
  consumeRecoveryCode: async (userId, code) => {
    const isConsumed = await sound.consumeRecoveryCode(userId, code);
    const user = await sound.findById(userId);
    table.remove(userId);
    if (user !== null) table.set(user);
    return isConsumed;
  },
}));

/** Compares the code only, as `DELETE ... WHERE code_hash = ?`. */
const ignoresUser = faultyUsers((sound) => ({
  consumeRecoveryCode: async (_userId, code) => {
    const results = await Promise.all(
      ['user-1', 'user-2'].map((userId) => sound.consumeRecoveryCode(userId, code)),
    );
    return results.includes(true);
  },
}));

expectUserFaultsNoticed(userRecoveryCodes, {
  'consumes each code once': {
    'never consumes a code': neverConsumes,
    'consumes all codes with the first': consumesAllCodes,
    'returns a number': faultyUsers((sound) => ({
      consumeRecoveryCode: async (userId, code) =>
        Number(await sound.consumeRecoveryCode(userId, code)) as never,
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
    'accepts codes of removed users': faultyUsers((sound, table) => ({
      consumeRecoveryCode: async (userId, code) =>
        (await sound.consumeRecoveryCode(userId, code)) ||
        table.find(({ id }) => id === userId) === null,
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

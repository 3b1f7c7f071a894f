import { expectUserFaultsNoticed } from '../../self-test/expect-user-faults-noticed.ts';
import { readThenWriteUsers, usersThat } from '../../self-test/faulty-users.ts';
import { userRecoveryCodes } from './user-recovery-codes.ts';

const neverUsesOneUp = usersThat((_sound, table) => ({
  consumeRecoveryCode: async (userId, code) => table.hasCode(userId, code),
}));

const takesAnything = usersThat((sound) => ({
  consumeRecoveryCode: async (userId, code) =>
    (await sound.consumeRecoveryCode(userId, code)) || true,
}));

const usesAllUpByTheFirst = usersThat((sound, table) => ({
  consumeRecoveryCode: async (userId, code) => {
    const isTaken = await sound.consumeRecoveryCode(userId, code);
    const user = await sound.findById(userId);
    table.remove(userId);
    if (user !== null) table.set(user);
    return isTaken;
  },
}));

/** `DELETE ... WHERE code_hash = ?`, and no more. */
const looksAtTheCodeAlone = usersThat((sound) => ({
  consumeRecoveryCode: async (_userId, code) => {
    const answers = await Promise.all(
      ['user-1', 'user-2'].map((userId) => sound.consumeRecoveryCode(userId, code)),
    );
    return answers.includes(true);
  },
}));

expectUserFaultsNoticed(userRecoveryCodes, {
  'consumes each code once': {
    'never consumes a code': neverUsesOneUp,
    'consumes all codes with the first': usesAllUpByTheFirst,
    'returns a number': usersThat((sound) => ({
      consumeRecoveryCode: async (userId, code) =>
        Number(await sound.consumeRecoveryCode(userId, code)) as never,
    })),
  },
  'rejects an unknown code': {
    'accepts any code': takesAnything,
    'consumes all codes with a wrong one': usesAllUpByTheFirst,
  },
  'accepts a code for its own user only, even if two users have the same code': {
    'ignores the user': looksAtTheCodeAlone,
  },
  'rejects codes of a removed user': {
    'accepts codes of removed users': usersThat((sound, table) => ({
      consumeRecoveryCode: async (userId, code) =>
        (await sound.consumeRecoveryCode(userId, code)) ||
        table.find(({ id }) => id === userId) === null,
    })),
  },
  'consumes a code once under 32 parallel calls': {
    'reads and writes non-atomically': readThenWriteUsers,
    'never consumes a code': neverUsesOneUp,
  },
  'consumes eight codes once each under 32 parallel calls': {
    'reads and writes non-atomically': readThenWriteUsers,
    'accepts any code': takesAnything,
  },
});

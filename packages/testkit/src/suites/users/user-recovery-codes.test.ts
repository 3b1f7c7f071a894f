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
  'are taken once each': {
    'never uses one up': neverUsesOneUp,
    'uses all of them up by the first': usesAllUpByTheFirst,
    'answers how many it took': usersThat((sound) => ({
      consumeRecoveryCode: async (userId, code) =>
        Number(await sound.consumeRecoveryCode(userId, code)) as never,
    })),
  },
  'are rejected if unknown': {
    'takes anything': takesAnything,
    'uses all of them up by a wrong one': usesAllUpByTheFirst,
  },
  'belong to their own user only, even if two users have the same': {
    'looks at the code alone': looksAtTheCodeAlone,
  },
  'are rejected for a user who was removed': {
    'keeps the codes of those who are gone': usersThat((sound, table) => ({
      consumeRecoveryCode: async (userId, code) =>
        (await sound.consumeRecoveryCode(userId, code)) ||
        table.find(({ id }) => id === userId) === null,
    })),
  },
  'are taken by one of 32 parallel uses': {
    'reads, then writes': readThenWriteUsers,
    'never uses one up': neverUsesOneUp,
  },
  'are used eight times if there are eight, however many try': {
    'reads, then writes': readThenWriteUsers,
    'takes anything': takesAnything,
  },
});

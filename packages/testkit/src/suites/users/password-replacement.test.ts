import { expectUserFaultsNoticed } from '../../self-test/expect-user-faults-noticed.ts';
import { readThenWriteUsers, usersThat } from '../../self-test/faulty-users.ts';
import { passwordReplacement } from './password-replacement.ts';

/** `UPDATE ... WHERE id = ?`, and no more. */
const replacesWhateverIsThere = usersThat((sound, table) => ({
  replacePasswordHash: async (userId, { replacement }) => {
    const user = await sound.findById(userId);
    if (user === null) return false;
    table.set({ ...user, passwordHash: replacement });
    return true;
  },
}));

const saysThatItDid = usersThat((sound) => ({
  replacePasswordHash: async (userId, change) =>
    (await sound.replacePasswordHash(userId, change)) || true,
}));

expectUserFaultsNoticed(passwordReplacement, {
  'replaces the hash of the user, and nothing else': {
    'replaces nothing': usersThat(() => ({ replacePasswordHash: async () => true })),
    'answers nothing': usersThat((sound) => ({
      replacePasswordHash: async (userId, change) => {
        await sound.replacePasswordHash(userId, change);
        return undefined as never;
      },
    })),
    'changes the date of the password': usersThat((sound, table) => ({
      replacePasswordHash: async (userId, change) => {
        const isReplaced = await sound.replacePasswordHash(userId, change);
        const user = await sound.findById(userId);
        if (user !== null) table.set({ ...user, passwordChangedAtMs: 1_800_000_000_000 });
        return isReplaced;
      },
    })),
    'replaces it for everybody': usersThat((sound) => ({
      replacePasswordHash: async (userId, change) => {
        await sound.replacePasswordHash('user-2', change);
        return sound.replacePasswordHash(userId, change);
      },
    })),
  },
  'leaves a hash alone that is not the expected one': {
    'replaces whatever is there': replacesWhateverIsThere,
    'says that it did': saysThatItDid,
  },
  'does not revive an old hash after another has replaced it': {
    'replaces whatever is there': replacesWhateverIsThere,
    'says that it did': saysThatItDid,
  },
  'answers false for a user who was removed': {
    'says that it did': saysThatItDid,
  },
  'of 32 parallel replacements exactly one answers true': {
    'reads, then writes': readThenWriteUsers,
    'answers another one': usersThat((sound) => {
      let calls = 0;
      return {
        replacePasswordHash: async (userId, change) => {
          calls += 1;
          const isSecond = calls === 2;
          await sound.replacePasswordHash(userId, change);
          return isSecond;
        },
      };
    }),
  },
});

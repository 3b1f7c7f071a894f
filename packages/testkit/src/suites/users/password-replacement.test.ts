import { expectUserFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyUsers, readThenWriteUsers } from '../../self-test/faulty-users.ts';
import { passwordReplacement } from './password-replacement.ts';

/** Compares no hash, as `UPDATE ... WHERE id = ?`. */
const replacesAnyHash = faultyUsers((sound, table) => ({
  replacePasswordHash: async (userId, { replacement }) => {
    const user = await sound.findById(userId);
    if (user === null) return false;
    table.set({ ...user, passwordHash: replacement });
    return true;
  },
}));

const alwaysReturnsTrue = faultyUsers((sound) => ({
  replacePasswordHash: async (userId, change) =>
    (await sound.replacePasswordHash(userId, change)) || true,
}));

expectUserFaultsNoticed(passwordReplacement, {
  'replaces only the password hash of the named user': {
    'replaces nothing': faultyUsers(() => ({ replacePasswordHash: async () => true })),
    'returns undefined': faultyUsers((sound) => ({
      replacePasswordHash: async (userId, change) => {
        await sound.replacePasswordHash(userId, change);
        return undefined as never;
      },
    })),
    'changes passwordChangedAtMs': faultyUsers((sound, table) => ({
      replacePasswordHash: async (userId, change) => {
        const isReplaced = await sound.replacePasswordHash(userId, change);
        const user = await sound.findById(userId);
        if (user !== null) table.set({ ...user, passwordChangedAtMs: 1_800_000_000_000 });
        return isReplaced;
      },
    })),
    'replaces hashes of other users too': faultyUsers((sound) => ({
      replacePasswordHash: async (userId, change) => {
        await sound.replacePasswordHash('user-2', change);
        return sound.replacePasswordHash(userId, change);
      },
    })),
  },
  'replaces no hash that differs from the expected hash': {
    'replaces any hash': replacesAnyHash,
    'always returns true': alwaysReturnsTrue,
  },
  'returns false if the expected hash was already replaced': {
    'replaces any hash': replacesAnyHash,
    'always returns true': alwaysReturnsTrue,
  },
  'returns false for a removed user': {
    'always returns true': alwaysReturnsTrue,
  },
  'returns true to one of 32 parallel replacements': {
    'reads and writes non-atomically': readThenWriteUsers,
    'returns true to the second call': faultyUsers((sound) => {
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

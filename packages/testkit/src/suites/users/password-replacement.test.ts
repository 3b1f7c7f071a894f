import { expectUserFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyUsers, readThenWriteUsers } from '../../self-test/faulty-users.ts';
import { passwordReplacement } from './password-replacement.ts';

/** Compares no hash, as `UPDATE ... WHERE id = ?`. */
const replacesAnyHash = faultyUsers((reference, table) => ({
  replacePasswordHash: async (userId, { replacement }) => {
    const user = await reference.findById(userId);
    if (user === null) return false;
    table.users.set(userId, { ...user, passwordHash: replacement });
    return true;
  },
}));

const alwaysReturnsTrue = faultyUsers((reference) => ({
  replacePasswordHash: async (userId, change) => {
    await reference.replacePasswordHash(userId, change);
    return true;
  },
}));

expectUserFaultsNoticed(passwordReplacement, {
  'replaces only the password hash of the named user': {
    'replaces nothing': faultyUsers(() => ({ replacePasswordHash: async () => true })),
    'returns undefined': faultyUsers((reference) => ({
      replacePasswordHash: async (userId, change) => {
        await reference.replacePasswordHash(userId, change);
        return undefined as never;
      },
    })),
    'changes passwordChangedAtMs': faultyUsers((reference, table) => ({
      replacePasswordHash: async (userId, change) => {
        const isReplaced = await reference.replacePasswordHash(userId, change);
        const user = await reference.findById(userId);
        if (user !== null)
          table.users.set(userId, { ...user, passwordChangedAtMs: 1_800_000_000_000 });
        return isReplaced;
      },
    })),
    'replaces hashes of other users too': faultyUsers((reference) => ({
      replacePasswordHash: async (userId, change) => {
        await reference.replacePasswordHash('user-2', change);
        return reference.replacePasswordHash(userId, change);
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
    'returns true to the second call': faultyUsers((reference) => {
      let calls = 0;
      return {
        replacePasswordHash: async (userId, change) => {
          calls += 1;
          const isSecond = calls === 2;
          await reference.replacePasswordHash(userId, change);
          return isSecond;
        },
      };
    }),
  },
});

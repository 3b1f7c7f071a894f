import type { AccountId } from '@latchhook/core';
import { expect, it } from 'vitest';
import { certifyUsers } from './certify-users.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { faultyUsers, readThenWriteUsers } from './self-test/faulty-users.ts';
import type { UserHarness } from './user-harness.ts';

it('certifyUsers passes a correct user store in all cases, each with a unique title', async () => {
  const { passed, failed } = await failingCases(certifyUsers, faultyUsers());
  expect(failed).toEqual([]);
  expect(new Set(passed).size).toBe(passed.length);
});

it('certifyUsers tests only the writes that the user store has', async () => {
  const { passed, failed } = await failingCases(certifyUsers, {
    ...faultyUsers(undefined, ({ userStore: { findById, findByUsername } }) => ({
      userStore: { findById, findByUsername },
    })),
    writes: [],
  });
  expect(failed).toEqual([]);
  expect(passed.every((claim) => claim.startsWith('user store: look-ups > '))).toBe(true);
});

it('certifyUsers fails a non-atomic user store in parallel cases only', async () => {
  const { failed } = await failingCases(certifyUsers, readThenWriteUsers);
  expect(failed).toEqual([
    'user store: replacement of a password hash > returns true to one of 32 parallel replacements',
    'user store: recovery codes > consumes a code once under 32 parallel calls',
    'user store: recovery codes > consumes eight codes once each under 32 parallel calls',
  ]);
});

it('certifyUsers fails if the user store consumes recovery codes and addRecoveryCode is missing', async () => {
  const { failed } = await failingCases(
    certifyUsers,
    faultyUsers(undefined, ({ userStore }) => ({ userStore, addRecoveryCode: undefined as never })),
  );
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.every((claim) => claim.startsWith('user store: recovery codes > '))).toBe(true);
});

/** A user store with account ids that are texts, which returns `read` of an id. */
const withTextAccountIds = (read: (accountId: unknown) => unknown) =>
  ({
    ...faultyUsers(({ findById }) => ({
      findById: async (userId) => {
        const user = await findById(userId);
        return user && { ...user, accounts: user.accounts.map(read) as number[] };
      },
    })),
    accountId: (i) => `0${i}`,
  }) as UserHarness<AccountId> as UserHarness<string>;

it('certifyUsers fails a user store that returns numbers instead of the account ids of the harness', async () => {
  const { passed, failed } = await failingCases(
    certifyUsers<string>,
    withTextAccountIds((id) => id),
  );
  expect([failed, passed.length > 0]).toEqual([[], true]);
  const broken = await failingCases(certifyUsers<string>, withTextAccountIds(Number));
  expect(broken.failed).toContain(
    'user store: look-ups > finds a user with all fields by id and by login name',
  );
});

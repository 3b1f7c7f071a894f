import type { AccountId } from '@latchhook/core';
import { assertHarness } from './assert-harness.ts';
import { tryUsers, type UserFixture } from './fixtures/user-fixture.ts';
import { registerSuites, type Suite } from './suite.ts';
import { passwordReplacement } from './suites/users/password-replacement.ts';
import { userLookUps } from './suites/users/user-look-ups.ts';
import { userRecoveryCodes } from './suites/users/user-recovery-codes.ts';
import type { TestRunner } from './test-runner.ts';
import type { UserHarness, UserWrite } from './user-harness.ts';

/** The contract of each optional write. */
const WRITE_SUITES: Readonly<Record<UserWrite, Suite<UserFixture>>> = {
  replacePasswordHash: passwordReplacement,
  consumeRecoveryCode: userRecoveryCodes,
};

/**
 * Registers the tests that a `UserStore` must pass. Run them on your users table, in the same kind of database as
 * in production.
 */
export function certifyUsers<Id extends AccountId = number>(
  runner: TestRunner,
  harness: UserHarness<Id>,
): void {
  assertHarness('certifyUsers', runner, harness);
  const suites = [userLookUps, ...harness.writes.map((write) => WRITE_SUITES[write])];
  registerSuites(runner, suites, harness, tryUsers);
}

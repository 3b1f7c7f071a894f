import type { Suite } from '../suite.ts';
import { tryUsers, type UserTrial } from '../trials/user-trial.ts';
import type { UserHarness } from '../user-harness.ts';
import { type Broken, expectFaultsNoticed } from './expect-faults-noticed.ts';
import { usersThat } from './faulty-users.ts';

/** Shows that each claim about users holds for a sound table, and fails for each broken one. */
export function expectUserFaultsNoticed(
  suite: Suite<UserTrial>,
  broken: Broken<UserHarness>,
): void {
  expectFaultsNoticed(suite, broken, usersThat(), tryUsers);
}

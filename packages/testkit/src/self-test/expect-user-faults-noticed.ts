import { tryUsers, type UserFixture } from '../fixtures/user-fixture.ts';
import type { Suite } from '../suite.ts';
import type { UserHarness } from '../user-harness.ts';
import { type Broken, expectFaultsNoticed } from './expect-faults-noticed.ts';
import { usersThat } from './faulty-users.ts';

/** Shows that each claim about users holds for a sound table, and fails for each broken one. */
export function expectUserFaultsNoticed(
  suite: Suite<UserFixture>,
  broken: Broken<UserHarness>,
): void {
  expectFaultsNoticed(suite, broken, usersThat(), tryUsers);
}

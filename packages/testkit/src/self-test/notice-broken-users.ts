import type { Suite } from '../suite.ts';
import type { UserHarness } from '../user-harness.ts';
import { tryUsers, type UserTrial } from '../user-trial.ts';
import { type Broken, noticeBroken } from './notice-broken.ts';
import { usersThat } from './users-that.ts';

/** Shows that each claim about users holds for a sound table, and fails for each broken one. */
export function noticeBrokenUsers(suite: Suite<UserTrial>, broken: Broken<UserHarness>): void {
  noticeBroken(suite, broken, usersThat(), tryUsers);
}

import type { Proof } from '../suite.ts';
import type { OpenUsers, UserHarness } from '../user-harness.ts';

/** What a claim about users is tried on: a new, empty table. */
export interface UserTrial extends Omit<OpenUsers, 'close'> {
  readonly writes: UserHarness['writes'];
}

/** Runs one proof on a new table. */
export async function tryUsers(harness: UserHarness, prove: Proof<UserTrial>): Promise<void> {
  const opened = await harness.open();
  try {
    await prove({
      writes: harness.writes,
      directory: opened.directory,
      // Claims destructure them, and what a harness opens may be an instance of a class.
      addUser: (user) => opened.addUser(user),
      removeUser: (userId) => opened.removeUser(userId),
      ...(opened.addRecoveryCode && { addRecoveryCode: opened.addRecoveryCode.bind(opened) }),
    });
  } finally {
    await opened.close();
  }
}

import type { Proof } from './suite.ts';
import type { OpenUsers, UserHarness } from './user-harness.ts';

/** What claims about users are tried on: a table that was just opened, and is empty. */
export interface UserTrial extends Omit<OpenUsers, 'close'> {
  readonly writes: UserHarness['writes'];
}

/** One proof, on a table of its own. */
export async function tryUsers(harness: UserHarness, prove: Proof<UserTrial>): Promise<void> {
  const opened = await harness.open();
  try {
    await prove({
      writes: harness.writes,
      directory: opened.directory,
      // Claims take them apart, and a harness may be an instance of a class.
      addUser: (user) => opened.addUser(user),
      removeUser: (userId) => opened.removeUser(userId),
      ...(opened.addRecoveryCode && { addRecoveryCode: opened.addRecoveryCode.bind(opened) }),
    });
  } finally {
    await opened.close();
  }
}

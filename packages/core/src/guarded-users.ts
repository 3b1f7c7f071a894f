import { AuthError } from './errors.ts';
import type { Guard } from './storage/guarded-storage.ts';
import type { User, UserDirectory } from './users.ts';

const MAX_USER_ID_BYTES = 255;

/** The host's directory as core uses it: faults are refusals, and a user of the wrong shape is a fault. */
export function guardedUsers(users: UserDirectory, guard: Guard): UserDirectory {
  return {
    findByUsername: async (username) =>
      checkedUser(await guard(() => users.findByUsername(username))),
    findById: async (userId) => checkedUser(await guard(() => users.findById(userId))),
    ...(users.replacePasswordHash === undefined
      ? {}
      : {
          replacePasswordHash: (userId, change) =>
            guard(async () => users.replacePasswordHash?.(userId, change) ?? false),
        }),
    ...(users.consumeRecoveryCode === undefined
      ? {}
      : {
          consumeRecoveryCode: (userId, code) =>
            guard(async () => users.consumeRecoveryCode?.(userId, code) ?? false),
        }),
  };
}

/** Closes on doubt: an id that two users could share, or an account that is no integer, must not be signed. */
function checkedUser(user: User | null | undefined): User | null {
  if (user === null || user === undefined) return null;
  const idBytes = typeof user.id === 'string' ? Buffer.byteLength(user.id) : 0;
  if (idBytes < 1 || idBytes > MAX_USER_ID_BYTES || !user.id.isWellFormed()) {
    throw malformed('`id` must be a string of 1 to 255 bytes of well-formed UTF-8');
  }
  if (!Array.isArray(user.accounts) || !user.accounts.every(Number.isSafeInteger)) {
    throw malformed('`accounts` must be an array of integers');
  }
  return user;
}

function malformed(what: string): AuthError {
  return new AuthError('server_error', 'Something went wrong on our side.', {
    reason: `the user directory answered a malformed user: ${what}`,
  });
}

import type { CallBoundary } from '../faults/call-boundary.ts';
import { checkedUser } from './checked-user.ts';
import type { UserDirectory } from './users.ts';

/** The host's directory as core uses it: faults become refusals, and an answer of the wrong shape is a fault. */
export function boundedUsers(users: UserDirectory, call: CallBoundary): UserDirectory {
  // Bound, as a directory may be an instance of the host's own class.
  const replacePasswordHash = users.replacePasswordHash?.bind(users);
  const consumeRecoveryCode = users.consumeRecoveryCode?.bind(users);
  return {
    findByUsername: async (username) =>
      checkedUser(await call(() => users.findByUsername(username))),
    findById: async (userId) => checkedUser(await call(() => users.findById(userId))),
    ...(replacePasswordHash && {
      replacePasswordHash: (userId, change) =>
        call(async () => yesOrNo(await replacePasswordHash(userId, change))),
    }),
    ...(consumeRecoveryCode && {
      consumeRecoveryCode: (userId, code) =>
        call(async () => yesOrNo(await consumeRecoveryCode(userId, code))),
    }),
  };
}

/** Fails closed: a driver answers a `DELETE` with an object, which would be truthy for a wrong code too. */
function yesOrNo(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer;
  throw new TypeError('a write of the user directory must answer true or false');
}

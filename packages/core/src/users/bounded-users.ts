import type { CallBoundary } from '../faults/call-boundary.ts';
import { readTotpSecret, unreadableSecret } from '../mfa/totp-secret.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { checkedUser } from './checked-user.ts';
import type { User, UserDirectory } from './users.ts';

/** The host's directory as core uses it: faults become refusals, and an answer of the wrong shape is a fault. */
export function boundedUsers(
  users: UserDirectory,
  call: CallBoundary,
  emit: (event: SecurityEvent) => void,
): UserDirectory {
  // Bound, as a directory may be an instance of the host's own class.
  const replacePasswordHash = users.replacePasswordHash?.bind(users);
  const consumeRecoveryCode = users.consumeRecoveryCode?.bind(users);
  return {
    findByUsername: async (username) => received(await call(() => users.findByUsername(username))),
    findById: async (userId) => received(await call(() => users.findById(userId))),
    ...(replacePasswordHash && {
      replacePasswordHash: (userId, change) =>
        call(async () => yesOrNo(await replacePasswordHash(userId, change))),
    }),
    ...(consumeRecoveryCode && {
      consumeRecoveryCode: (userId, code) =>
        call(async () => yesOrNo(await consumeRecoveryCode(userId, code))),
    }),
  };

  function received(answer: User | null | undefined): User | null {
    const user = checkedUser(answer);
    if (user?.mfa) {
      const read = readTotpSecret(user.mfa.totpSecret);
      // Refused only where the factor is asked for: a wrong password must not tell that there is one.
      if (read.outcome === 'unreadable') {
        emit({ type: 'fault', where: 'directory', error: unreadableSecret(user.id, read) });
      }
    }
    return user;
  }
}

/** Fails closed: a driver answers a `DELETE` with an object, which would be truthy for a wrong code too. */
function yesOrNo(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer;
  throw new TypeError('a write of the user directory must answer true or false');
}

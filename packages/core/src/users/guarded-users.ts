import type { AccountId, AccountIdKind } from '../account-id.ts';
import type { CallGuard } from '../faults/call-guard.ts';
import { readTotpSecret, unreadableSecret } from '../mfa/totp-secret.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { checkedUser } from './checked-user.ts';
import type { AnyUser, AnyUserStore, User, UserStore } from './users.ts';

/** The host's user store as core uses it: faults become rejections, and a malformed result is a fault. */
export function guardedUsers(
  users: UserStore<string, AccountId>,
  scopeTable: ScopeTable,
  accountIdKind: AccountIdKind,
  call: CallGuard,
  emit: (event: SecurityEvent) => void,
): AnyUserStore {
  // The methods are bound because a user store may be an instance of the host's own class.
  const replacePasswordHash = users.replacePasswordHash?.bind(users);
  const consumeRecoveryCode = users.consumeRecoveryCode?.bind(users);
  return {
    findByUsername: async (username) =>
      checkResult(await call(() => users.findByUsername(username))),
    findById: async (userId) => checkResult(await call(() => users.findById(userId))),
    ...(replacePasswordHash && {
      replacePasswordHash: (userId, change) =>
        call(async () => requireBoolean(await replacePasswordHash(userId, change))),
    }),
    ...(consumeRecoveryCode && {
      consumeRecoveryCode: (userId, code) =>
        call(async () => requireBoolean(await consumeRecoveryCode(userId, code))),
    }),
  };

  function checkResult(result: User<string, AccountId> | null | undefined): AnyUser | null {
    const user = checkedUser(result, scopeTable, accountIdKind);
    if (user?.mfa) {
      const secret = readTotpSecret(user.mfa.totpSecret);
      // Emitted here, but rejected only once the factor is needed: a wrong password must not reveal the factor.
      if (secret.outcome === 'unreadable') {
        emit({ type: 'fault', where: 'user_store', error: unreadableSecret(user.id, secret) });
      }
    }
    return user;
  }
}

/** Fails closed: a driver returns an object for a `DELETE`, which would be truthy for a wrong code too. */
function requireBoolean(result: unknown): boolean {
  if (typeof result === 'boolean') return result;
  throw new TypeError('a write of the user store must answer true or false');
}

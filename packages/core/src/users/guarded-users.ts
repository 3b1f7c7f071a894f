import { type AccountId, type AccountIdKind, IS_ACCOUNT_ID } from '../account-id.ts';
import { mistakeInAccounts } from '../account-id-mistakes.ts';
import { serverFault } from '../errors.ts';
import type { CallGuard } from '../faults/call-guard.ts';
import { readTotpSecret, unreadableSecret } from '../mfa/totp-secret.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { AnyUser, AnyUserStore, User, UserStore } from './users.ts';

/** The longest `User.id`, in UTF-8. */
export const MAX_USER_ID_BYTES = 255;

/** The most characters of an unknown scope that a fault quotes: no valid scope is longer. */
const MAX_SCOPE_CHARS = 64;

/** A user that is not checked yet: a user store without types may return anything that its driver does. */
type UncheckedUser = { readonly [Name in keyof User]?: unknown };

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

/**
 * Rejects a malformed user, so that nothing is issued in doubt: an id that two users could share must not be signed,
 * and a date that is a string, which is not greater than any number, would keep sessions alive after a password change.
 *
 * Called at every login and refresh, so it allocates nothing for a valid user.
 *
 * @throws {AuthError} `server_error`, a fault of the user store
 */
function checkedUser(
  user: User<string, AccountId> | null | undefined,
  scopeTable: ScopeTable,
  accountIdKind: AccountIdKind,
): AnyUser | null {
  if (user === null || user === undefined) return null;
  const mistake = mistakeIn(user, scopeTable, accountIdKind);
  // The cast is safe: all scopes are in the table.
  if (mistake === null) return user as AnyUser;
  // The fault quotes only the id, by which the host finds the row, and an unknown scope: other fields may be secret.
  const who = isUserId(user.id) ? ` ${JSON.stringify(user.id)}` : '';
  throw serverFault({
    reason: `the user store answered a malformed user${who}: ${mistake}`,
    where: 'user_store',
  });
}

function mistakeIn(
  user: UncheckedUser,
  scopeTable: ScopeTable,
  accountIdKind: AccountIdKind,
): string | null {
  const { username, passwordHash, accounts, scopes, mfa, passwordChangedAtMs } = user;
  if (!isUserId(user.id)) return '`id` must be a string of 1 to 255 bytes of well-formed UTF-8';
  if (isPresent(username) && typeof username !== 'string') {
    return '`username` must be a string; it may be left out';
  }
  if (passwordHash !== null && typeof passwordHash !== 'string') {
    return '`passwordHash` must be a string, or null where there is none';
  }
  if (!(Array.isArray(accounts) && accounts.every(IS_ACCOUNT_ID[accountIdKind]))) {
    return `\`accounts\` ${mistakeInAccounts(accountIdKind, accounts)}`;
  }
  if (isPresent(scopes) && !(Array.isArray(scopes) && scopes.every(scopeTable.has))) {
    return mistakeInScopes(scopes, scopeTable);
  }
  if (isPresent(user.disabled) && !isFlag(user.disabled)) return '`disabled` must be true or false';
  if (isPresent(mfa) && typeof mfa !== 'object') {
    return '`mfa` must be an object with `mfa.totpSecret`, or null where there is none';
  }
  if (isPresent(passwordChangedAtMs) && !Number.isFinite(passwordChangedAtMs)) {
    return '`passwordChangedAtMs` must be a number: milliseconds since 1970';
  }
  return null;
}

function mistakeInScopes(scopes: unknown, { has }: ScopeTable): string {
  const unknown: unknown = Array.isArray(scopes) ? scopes.find((scope) => !has(scope)) : undefined;
  if (typeof unknown !== 'string') {
    return '`scopes` must be an array of scopes: given ones, or names of the option `scopes`';
  }
  const name = JSON.stringify(unknown.slice(0, MAX_SCOPE_CHARS));
  return `\`scopes\` has ${name}: add it to the option \`scopes\`, or take it from the user`;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isUserId(id: unknown): boolean {
  if (typeof id !== 'string' || !id.isWellFormed()) return false;
  const bytes = Buffer.byteLength(id);
  return bytes >= 1 && bytes <= MAX_USER_ID_BYTES;
}

/** Databases without booleans store 0 and 1. */
function isFlag(value: unknown): boolean {
  return typeof value === 'boolean' || value === 0 || value === 1;
}

/** Fails closed: a driver returns an object for a `DELETE`, which would be truthy for a wrong code too. */
function requireBoolean(result: unknown): boolean {
  if (typeof result === 'boolean') return result;
  throw new TypeError('a write of the user store must answer true or false');
}

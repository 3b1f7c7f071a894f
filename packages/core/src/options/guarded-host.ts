import { type CallGuard, createCallGuard, PendingCalls } from '../faults/call-guard.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { type GuardedStorage, guardedStorage } from '../storage/guarded-storage.ts';
import { guardedUsers } from '../users/guarded-users.ts';
import type { AnyUserStore } from '../users/users.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/** The host's adapters and functions, guarded: each call has a timeout, and rejects with an `AuthError` only. */
export interface GuardedHost {
  readonly users: AnyUserStore;
  readonly storage: GuardedStorage;
  /** For calls of a host's function that counts as part of the user store, such as `passwords.verifier`. */
  readonly callUserStore: CallGuard;
  /** For calls of the host's other functions. */
  readonly callHost: CallGuard;
  /** For calls of the stores that `storage` lacks: those that an option needs. */
  readonly callStorage: CallGuard;
  /** Counts the calls that have not settled. */
  readonly pending: PendingCalls;
}

export function guardedHost(
  {
    users,
    scopeTable,
    accountIdKind,
    storage,
  }: Pick<ResolvedOptions, 'users' | 'scopeTable' | 'accountIdKind' | 'storage'>,
  emit: (event: SecurityEvent) => void,
): GuardedHost {
  const pending = new PendingCalls();
  const callUserStore = createCallGuard('user_store', { pending });
  const callStorage = createCallGuard('storage', { pending });
  return {
    users: guardedUsers(users, scopeTable, accountIdKind, callUserStore, emit),
    storage: guardedStorage(storage, callStorage),
    callUserStore,
    callHost: createCallGuard('host', { name: 'accessTokenClaims', pending }),
    callStorage,
    pending,
  };
}

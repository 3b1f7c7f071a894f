import { type CallGuard, createCallGuard } from '../faults/call-guard.ts';
import { PendingCalls } from '../faults/pending-calls.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { type GuardedStorage, guardedStorage } from '../storage/guarded-storage.ts';
import { guardedUsers } from '../users/guarded-users.ts';
import type { AnyUserStore } from '../users/users.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/** What the host plugs in, as core uses it: no call of it throws what a client may see, or waits for ever. */
export interface GuardedHost {
  readonly users: AnyUserStore;
  readonly storage: GuardedStorage;
  /** For calls of what counts as part of the user store. */
  readonly callUserStore: CallGuard;
  /** For calls of the host's other functions. */
  readonly callHost: CallGuard;
  /** For calls of stores that an option needs. */
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
    callHost: createCallGuard('host', { pending }),
    callStorage,
    pending,
  };
}

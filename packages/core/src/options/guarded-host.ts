import { type CallBoundary, createCallBoundary } from '../faults/call-boundary.ts';
import { PendingCalls } from '../faults/pending-calls.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { type BoundedStorage, boundedStorage } from '../storage/bounded-storage.ts';
import { boundedUsers } from '../users/bounded-users.ts';
import type { UserDirectory } from '../users/users.ts';
import type { ResolvedOptions } from './resolve-options.ts';

/** What the host plugs in, as core uses it: no call of it throws what a client may see, or waits for ever. */
export interface GuardedHost {
  readonly users: UserDirectory;
  readonly storage: BoundedStorage;
  /** For calls of what counts as part of the directory. */
  readonly callDirectory: CallBoundary;
  /** For calls of stores that an option needs. */
  readonly callStorage: CallBoundary;
  /** Counts the calls that have not settled. */
  readonly pending: PendingCalls;
}

export function guardedHost(
  resolved: Pick<ResolvedOptions, 'users' | 'storage'>,
  emit: (event: SecurityEvent) => void,
): GuardedHost {
  const pending = new PendingCalls();
  const callDirectory = createCallBoundary('directory', { pending });
  const callStorage = createCallBoundary('storage', { pending });
  return {
    users: boundedUsers(resolved.users, callDirectory, emit),
    storage: boundedStorage(resolved.storage, callStorage),
    callDirectory,
    callStorage,
    pending,
  };
}

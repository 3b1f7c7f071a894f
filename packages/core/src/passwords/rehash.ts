import type { ClientInfo } from '../client-info/client-info.ts';
import type { PendingCalls } from '../faults/call-guard.ts';
import type { AnyUser, AnyUserStore } from '../users/users.ts';
import type { PasswordVerifier } from './password-verifier.ts';

export type RehashOutcome =
  | { readonly outcome: 'replaced' }
  /** The password was changed during the rehash; the changed password is kept. */
  | { readonly outcome: 'stale' }
  /** All permits were in use by logins; the user's next login tries again. */
  | { readonly outcome: 'skipped' }
  | { readonly outcome: 'failed'; readonly error: unknown };

export interface RehasherDeps {
  readonly verifier: Pick<PasswordVerifier, 'hashIfIdle'>;
  readonly users: AnyUserStore;
  /** Counts rehashes, so that `close` can wait for them. */
  readonly pending: PendingCalls;
  /** Called once with the outcome of every rehash. Must not throw. */
  readonly onOutcome: (userId: string, outcome: RehashOutcome, client: ClientInfo) => void;
}

/** Starts a rehash and returns immediately. Never throws. `client` has sent the login. */
export type Rehasher = (user: AnyUser, password: string, client: ClientInfo) => void;

/**
 * Replaces the hash of a user who has just logged in by a hash with today's parameters, while the response is sent.
 * Does nothing if the user store has no `replacePasswordHash`.
 *
 * Atomicity: rests on the compare-and-set of `UserStore.replacePasswordHash`. Concurrency: one rehash per user at a
 * time; only one of fifty parallel logins hashes.
 */
export function createRehasher(deps: RehasherDeps): Rehasher {
  const { verifier, users, pending, onOutcome } = deps;
  const replace = users.replacePasswordHash?.bind(users);
  if (replace === undefined) return () => {};
  const pendingUsers = new Set<string>();

  const rehash = async (
    user: AnyUser,
    expected: string,
    password: string,
  ): Promise<RehashOutcome> => {
    try {
      const result = await verifier.hashIfIdle(password);
      if (result.outcome === 'busy') return { outcome: 'skipped' };
      const change = { expected, replacement: result.passwordHash };
      const replaced = await replace(user.id, change);
      return { outcome: replaced ? 'replaced' : 'stale' };
    } catch (error) {
      return { outcome: 'failed', error };
    }
  };

  return (user, password, client) => {
    const expected = user.passwordHash;
    if (expected === null || pendingUsers.has(user.id)) return;
    pendingUsers.add(user.id);
    pending.begin();
    rehash(user, expected, password)
      .finally(() => pendingUsers.delete(user.id))
      .then((outcome) => onOutcome(user.id, outcome, client))
      // Nobody awaits this promise: an exception of `onOutcome` would be unhandled, and end the process.
      .catch(() => undefined)
      .finally(() => pending.end());
  };
}

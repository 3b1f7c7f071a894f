import { describe, expect, it } from 'vitest';
import { UNKNOWN_CLIENT } from '../client-info/client-info.ts';
import { PendingCalls } from '../faults/call-guard.ts';
import type { User, UserStore } from '../users/users.ts';
import type { IdleHashOutcome } from './password-verifier.ts';
import { createRehasher, type RehashOutcome } from './rehash.ts';

const OLD = 'old:correct horse';
const USER: User = { id: 'u1', passwordHash: OLD, accounts: [1] };

/** A user store with one row, and the compare-and-set that its contract requires. */
function createTable() {
  const row = { passwordHash: OLD };
  const users: UserStore = {
    findByUsername: async () => ({ ...USER, ...row }),
    findById: async () => ({ ...USER, ...row }),
    async replacePasswordHash(_, { expected, replacement }) {
      if (row.passwordHash !== expected) return false;
      row.passwordHash = replacement;
      return true;
    },
  };
  return { row, users };
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

/** A rehasher whose hash is ready once `finish` is called. */
function setUp(users: UserStore) {
  const hashing = deferred<IdleHashOutcome>();
  const reported = deferred<[string, RehashOutcome]>();
  const outcomes: RehashOutcome[] = [];
  let hashes = 0;
  const rehash = createRehasher({
    pending: new PendingCalls(),
    users,
    verifier: {
      hashIfIdle: () => {
        hashes += 1;
        return hashing.promise;
      },
    },
    onOutcome: (userId, outcome) => {
      outcomes.push(outcome);
      reported.resolve([userId, outcome]);
    },
  });
  const finish = () => hashing.resolve({ outcome: 'hashed', passwordHash: 'new' });
  return { rehash, hashing, finish, reported: reported.promise, outcomes, hashes: () => hashes };
}

describe('a rehash after login', () => {
  it('replaces the old hash by the new one, after the login', async () => {
    const { row, users } = createTable();
    const { rehash, finish, reported } = setUp(users);
    rehash(USER, 'correct horse', UNKNOWN_CLIENT);
    expect(row.passwordHash).toBe(OLD);
    finish();
    expect(await reported).toEqual(['u1', { outcome: 'replaced' }]);
    expect(row.passwordHash).toBe('new');
  });

  it('keeps a password that was changed during the rehash', async () => {
    const { row, users } = createTable();
    const { rehash, finish, reported } = setUp(users);
    rehash(USER, 'correct horse', UNKNOWN_CLIENT);
    row.passwordHash = 'changed by the user';
    finish();
    expect(await reported).toEqual(['u1', { outcome: 'stale' }]);
    expect(row.passwordHash).toBe('changed by the user');
  });

  it('is skipped if the hash limiter is busy', async () => {
    const { row, users } = createTable();
    const { rehash, hashing, reported } = setUp(users);
    rehash(USER, 'correct horse', UNKNOWN_CLIENT);
    hashing.resolve({ outcome: 'busy' });
    expect(await reported).toEqual(['u1', { outcome: 'skipped' }]);
    expect(row.passwordHash).toBe(OLD);
  });

  it('hashes once for fifty parallel logins of one user, and again at a later login', async () => {
    const { users } = createTable();
    const { rehash, finish, reported, outcomes, hashes } = setUp(users);
    for (let i = 0; i < 50; i += 1) rehash(USER, 'correct horse', UNKNOWN_CLIENT);
    expect(hashes()).toBe(1);
    finish();
    await reported;
    expect(outcomes).toHaveLength(1);
    rehash(USER, 'correct horse', UNKNOWN_CLIENT);
    expect(hashes()).toBe(2);
  });

  it('computes no hash if the user store is read-only, or if the user has no hash', () => {
    const { users } = createTable();
    const { findByUsername, findById } = users;
    const readOnly = setUp({ findByUsername, findById });
    readOnly.rehash(USER, 'correct horse', UNKNOWN_CLIENT);
    const passwordless = setUp(users);
    passwordless.rehash({ ...USER, passwordHash: null }, 'correct horse', UNKNOWN_CLIENT);
    expect([readOnly.hashes(), passwordless.hashes()]).toEqual([0, 0]);
  });

  it('reports a user store that fails', async () => {
    const error = new Error('read-only replica');
    const { users } = createTable();
    const failing = { ...users, replacePasswordHash: () => Promise.reject(error) };
    const { rehash, finish, reported } = setUp(failing);
    rehash(USER, 'correct horse', UNKNOWN_CLIENT);
    finish();
    expect(await reported).toEqual(['u1', { outcome: 'failed', error }]);
  });

  it('reports a failed hash computation', async () => {
    const error = new Error('out of memory');
    const { rehash, hashing, reported } = setUp(createTable().users);
    rehash(USER, 'correct horse', UNKNOWN_CLIENT);
    hashing.reject(error);
    expect(await reported).toEqual(['u1', { outcome: 'failed', error }]);
  });

  it('leaves no rejection unhandled, even if the listener throws', async () => {
    const unhandled: unknown[] = [];
    const recordReason = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', recordReason);
    const rehash = createRehasher({
      pending: new PendingCalls(),
      users: createTable().users,
      verifier: { hashIfIdle: () => Promise.reject(new Error('out of memory')) },
      onOutcome: () => {
        throw new Error('a bug in the listener');
      },
    });
    rehash(USER, 'correct horse', UNKNOWN_CLIENT);
    // Node reports unhandled rejections after the microtasks of a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', recordReason);
    expect(unhandled).toEqual([]);
  });
});

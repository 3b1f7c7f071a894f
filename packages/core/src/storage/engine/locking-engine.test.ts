import { expect, it, onTestFinished, vi } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import type { LockingConnection, LockingDatabase } from './locking-database.ts';
import { lockingEngine } from './locking-engine.ts';

const conflict = new Error('conflict');
const lost = new Error('connection lost');
const rejected = new Error('rejected');

/** A database without rows, some methods of whose connections are overridden, and a log of the calls. */
function databaseWith(overrides: Partial<LockingConnection>) {
  const calls: string[] = [];
  const none = () => Promise.resolve();
  const connection: LockingConnection = {
    async begin() {
      calls.push('begin');
      return 5;
    },
    rowsOf: () => ({
      find: () => null,
      range: () => [],
      put: none,
      delete: none,
      putPlaces: none,
      deletePlaces: none,
    }),
    async commit(untilMs) {
      calls.push('commit');
      await overrides.commit?.(untilMs);
    },
    async rollback() {
      calls.push('rollback');
      await overrides.rollback?.();
    },
    forgetExpired: none,
    async find(...request) {
      calls.push('find');
      return (await overrides.find?.(...request)) ?? [];
    },
    now: async () => 5,
    release: () => void calls.push('release'),
    destroy: () => void calls.push('destroy'),
  };
  const database: LockingDatabase = {
    name: 'locks',
    connect: async () => connection,
    kindOf(error) {
      if (error === conflict) return 'conflict';
      if (error === lost) return 'connection_lost';
      return error === rejected ? 'rejected' : 'other';
    },
  };
  return { database, calls };
}

/** Fails at its first call. */
function onceWith(error: Error) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === 1) throw error;
  };
}

it('lockingEngine repeats find() only after a lost connection', async () => {
  const fails = onceWith(lost);
  const find = () => fails().then(() => []);
  const { database, calls } = databaseWith({ find });
  expect(await lockingEngine(database).find('due', { limit: 1 })).toEqual([]);
  expect(calls).toEqual(['find', 'rollback', 'release', 'find', 'release']);
  const other = databaseWith({ find: () => Promise.reject(new Error('no such table')) });
  const failing = lockingEngine(other.database).find('due', { limit: 1 });
  await expect(failing).rejects.toThrow('no such table');
});

it('lockingEngine reruns a transaction whose commit met a conflict', async () => {
  const { database, calls } = databaseWith({ commit: onceWith(conflict) });
  expect(await lockingEngine(database).transact('p', (_, nowMs) => nowMs)).toBe(5);
  const secondRun = ['begin', 'commit', 'release'];
  expect(calls).toEqual(['begin', 'commit', 'rollback', 'release', ...secondRun]);
});

it.each([lost, new Error('anything')])(
  'lockingEngine rejects with StorageUnavailableError if a commit fails with: %s',
  async (error) => {
    const { database, calls } = databaseWith({ commit: onceWith(error) });
    const transaction = lockingEngine(database).transact('p', () => 1);
    await expect(transaction).rejects.toThrow(StorageUnavailableError);
    expect(calls).toEqual(['begin', 'commit', 'rollback', 'release']);
  },
);

it('lockingEngine commits only until its deadline by the clock of the server', async () => {
  const commit = vi.fn(async () => {});
  const options = { deadlineMs: 20_000, clock: { nowMs: () => 7_000 } };
  await lockingEngine(databaseWith({ commit }).database, options).transact('p', () => 1);
  expect(commit.mock.calls).toEqual([[20_005]]);
});

it('lockingEngine rejects with the error of the database if that rejects a commit', async () => {
  const { database, calls } = databaseWith({ commit: onceWith(rejected) });
  await expect(lockingEngine(database).transact('p', () => 1)).rejects.toBe(rejected);
  expect(calls).toEqual(['begin', 'commit', 'rollback', 'release']);
});

it('lockingEngine does not rerun work if the database rejects a statement', async () => {
  const { database, calls } = databaseWith({});
  const failing = lockingEngine(database).transact('p', onceWith(rejected));
  await expect(failing).rejects.toBe(rejected);
  expect(calls).toEqual(['begin', 'rollback', 'release']);
});

it('lockingEngine destroys a lost connection, and reruns the work on another connection', async () => {
  const { database, calls } = databaseWith({ rollback: () => Promise.reject(lost) });
  const work = onceWith(lost);
  await lockingEngine(database).transact('p', work);
  expect(calls).toEqual(['begin', 'rollback', 'destroy', 'begin', 'commit', 'release']);
});

it('lockingEngine rejects with the error of the work, and runs the work once', async () => {
  const { database, calls } = databaseWith({});
  const error = new Error('work throws');
  const failing = lockingEngine(database).transact('p', () => Promise.reject(error));
  await expect(failing).rejects.toBe(error);
  expect(calls).toEqual(['begin', 'rollback', 'release']);
});

it('lockingEngine destroys a connection that does not respond before the deadline', async () => {
  const { database, calls } = databaseWith({});
  const engine = lockingEngine(database, { deadlineMs: 20 });
  const late = engine.transact('p', () => new Promise<void>(() => {}));
  await expect(late).rejects.toThrow(StorageUnavailableError);
  expect(calls).toEqual(['begin', 'destroy']);
});

it('lockingEngine releases a connection that is opened after the deadline', async () => {
  const { database, calls } = databaseWith({});
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const slow: LockingDatabase = {
    ...database,
    async connect() {
      vi.advanceTimersByTime(6);
      return database.connect();
    },
  };
  const late = lockingEngine(slow, { deadlineMs: 5 }).transact('p', () => 1);
  await expect(late).rejects.toThrow('no connection in time');
  expect(calls).toEqual(['release']);
});

it.each([
  ['options_invalid', 7],
  ['option_unknown', { deadline: 5 }],
  ['option_out_of_bounds', { deadlineMs: 0 }],
])('lockingEngine throws %s for the options %j', (code, options) => {
  const make = () => lockingEngine(databaseWith({}).database, options as object);
  expect(make).toThrow(expect.objectContaining({ code }));
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import type { LockingConnection, LockingDatabase } from './locking-database.ts';
import { lockingEngine } from './locking-engine.ts';

const conflictError = new Error('conflict');
const connectionLost = new Error('connection lost');
const rejection = new Error('rejected');

/** A database without rows whose connections have these overrides, and a log of the calls. */
function databaseWith(overrides: Partial<LockingConnection>) {
  const calls: string[] = [];
  const doNothing = () => Promise.resolve();
  const connection: LockingConnection = {
    async begin() {
      calls.push('begin');
      return 5;
    },
    rowsOf: () => ({
      find: () => [],
      range: () => [],
      put: doNothing,
      delete: doNothing,
      putIndexEntries: doNothing,
      deleteIndexEntries: doNothing,
    }),
    async commit(untilMs) {
      calls.push('commit');
      await overrides.commit?.(untilMs);
    },
    async rollback() {
      calls.push('rollback');
      await overrides.rollback?.();
    },
    forgetExpired: doNothing,
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
      if (error === conflictError) return 'conflict';
      if (error === connectionLost) return 'connection_lost';
      return error === rejection ? 'rejected' : 'other';
    },
  };
  return { database, calls };
}

/** Returns a function that fails at its first call. */
function failOnceWith(error: Error) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === 1) throw error;
  };
}

it('lockingEngine repeats find() only after a lost connection', async () => {
  const failOnce = failOnceWith(connectionLost);
  const find = () => failOnce().then(() => []);
  const { database, calls } = databaseWith({ find });
  expect(await lockingEngine(database).find('due', { limit: 1 })).toEqual([]);
  expect(calls).toEqual(['find', 'rollback', 'release', 'find', 'release']);
  const brokenDatabase = databaseWith({ find: () => Promise.reject(new Error('no such table')) });
  const failing = lockingEngine(brokenDatabase.database).find('due', { limit: 1 });
  await expect(failing).rejects.toThrow('no such table');
});

it('lockingEngine reruns a transaction whose commit met a conflict', async () => {
  const { database, calls } = databaseWith({ commit: failOnceWith(conflictError) });
  expect(await lockingEngine(database).transact('p', (_, nowMs) => nowMs)).toBe(5);
  const secondRun = ['begin', 'commit', 'release'];
  expect(calls).toEqual(['begin', 'commit', 'rollback', 'release', ...secondRun]);
});

it.each([connectionLost, new Error('anything')])(
  'lockingEngine rejects with StorageUnavailableError if a commit fails with: %s',
  async (error) => {
    const { database, calls } = databaseWith({ commit: failOnceWith(error) });
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

it('lockingEngine rejects with the error of the database if the database rejects a commit', async () => {
  const { database, calls } = databaseWith({ commit: failOnceWith(rejection) });
  await expect(lockingEngine(database).transact('p', () => 1)).rejects.toBe(rejection);
  expect(calls).toEqual(['begin', 'commit', 'rollback', 'release']);
});

it('lockingEngine does not rerun work if the database rejects a statement', async () => {
  const { database, calls } = databaseWith({});
  const failing = lockingEngine(database).transact('p', failOnceWith(rejection));
  await expect(failing).rejects.toBe(rejection);
  expect(calls).toEqual(['begin', 'rollback', 'release']);
});

it('lockingEngine destroys a lost connection, and reruns the work on another connection', async () => {
  const { database, calls } = databaseWith({ rollback: () => Promise.reject(connectionLost) });
  const work = failOnceWith(connectionLost);
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
  const transaction = engine.transact('p', () => new Promise<void>(() => {}));
  await expect(transaction).rejects.toThrow(StorageUnavailableError);
  expect(calls).toEqual(['begin', 'destroy']);
});

it('lockingEngine releases a connection that is opened after the deadline', async () => {
  const { database, calls } = databaseWith({});
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const slowDatabase: LockingDatabase = {
    ...database,
    async connect() {
      vi.advanceTimersByTime(6);
      return database.connect();
    },
  };
  const transaction = lockingEngine(slowDatabase, { deadlineMs: 5 }).transact('p', () => 1);
  await expect(transaction).rejects.toThrow('no connection in time');
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

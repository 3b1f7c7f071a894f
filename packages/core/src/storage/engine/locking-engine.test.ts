import { expect, it, onTestFinished, vi } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import type { LockingConnection, LockingDatabase } from './locking-database.ts';
import { lockingEngine } from './locking-engine.ts';

const conflict = new Error('conflict');
const lost = new Error('connection lost');
const rejected = new Error('rejected');

/** A database without rows, whose connections do `changed` in some places; and what they were asked. */
function databaseThat(changed: Partial<LockingConnection>) {
  const asked: string[] = [];
  const none = () => Promise.resolve();
  const note =
    (name: string, answer: () => Promise<unknown> = none) =>
    async () => {
      asked.push(name);
      await answer();
    };
  const connection: LockingConnection = {
    async begin() {
      asked.push('begin');
      return 5;
    },
    rowsOf: () => ({
      find: () => null,
      range: () => [],
      ...{ put: none, delete: none, putPlaces: none, deletePlaces: none },
    }),
    async commit(untilMs) {
      asked.push('commit');
      await changed.commit?.(untilMs);
    },
    rollback: note('rollback', changed.rollback),
    forgetExpired: none,
    async find(...request) {
      asked.push('find');
      return (await changed.find?.(...request)) ?? [];
    },
    now: async () => 5,
    release: () => void asked.push('release'),
    destroy: () => void asked.push('destroy'),
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
  return { database, asked };
}

/** Fails at its first call. */
function onceWith(error: Error) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === 1) throw error;
  };
}

it('lockingEngine repeats find() after a lost connection, but not after another error', async () => {
  const fails = onceWith(lost);
  const find = () => fails().then(() => []);
  const { database, asked } = databaseThat({ find });
  expect(await lockingEngine(database).find('due', { limit: 1 })).toEqual([]);
  expect(asked).toEqual(['find', 'rollback', 'release', 'find', 'release']);
  const other = databaseThat({ find: () => Promise.reject(new Error('no such table')) });
  const found = lockingEngine(other.database).find('due', { limit: 1 });
  await expect(found).rejects.toThrow('no such table');
});

it('lockingEngine reruns a transaction whose commit met a conflict', async () => {
  const { database, asked } = databaseThat({ commit: onceWith(conflict) });
  expect(await lockingEngine(database).transact('p', (_, nowMs) => nowMs)).toBe(5);
  const again = ['begin', 'commit', 'release'];
  expect(asked).toEqual(['begin', 'commit', 'rollback', 'release', ...again]);
});

it.each([lost, new Error('anything')])(
  'lockingEngine rejects with StorageUnavailableError if a commit fails with: %s',
  async (error) => {
    const { database, asked } = databaseThat({ commit: onceWith(error) });
    const inDoubt = lockingEngine(database).transact('p', () => 1);
    await expect(inDoubt).rejects.toThrow(StorageUnavailableError);
    expect(asked).toEqual(['begin', 'commit', 'rollback', 'release']);
  },
);

it('lockingEngine limits a commit to the deadline by the clock of the server', async () => {
  const commit = vi.fn(async () => {});
  const options = { deadlineMs: 20_000, clock: { nowMs: () => 7_000 } };
  await lockingEngine(databaseThat({ commit }).database, options).transact('p', () => 1);
  expect(commit.mock.calls).toEqual([[20_005]]);
});

it('lockingEngine passes on the error with which the database rejects a commit', async () => {
  const { database, asked } = databaseThat({ commit: onceWith(rejected) });
  await expect(lockingEngine(database).transact('p', () => 1)).rejects.toBe(rejected);
  expect(asked).toEqual(['begin', 'commit', 'rollback', 'release']);
});

it('lockingEngine does not rerun work that the database rejects', async () => {
  const { database, asked } = databaseThat({});
  const failing = lockingEngine(database).transact('p', onceWith(rejected));
  await expect(failing).rejects.toBe(rejected);
  expect(asked).toEqual(['begin', 'rollback', 'release']);
});

it('lockingEngine destroys a lost connection, and reruns its work on another', async () => {
  const { database, asked } = databaseThat({ rollback: () => Promise.reject(lost) });
  const work = onceWith(lost);
  await lockingEngine(database).transact('p', work);
  expect(asked).toEqual(['begin', 'rollback', 'destroy', 'begin', 'commit', 'release']);
});

it('lockingEngine passes on an error of the work, and runs it once', async () => {
  const { database, asked } = databaseThat({});
  const error = new Error('work throws');
  const failing = lockingEngine(database).transact('p', () => Promise.reject(error));
  await expect(failing).rejects.toBe(error);
  expect(asked).toEqual(['begin', 'rollback', 'release']);
});

it('lockingEngine destroys a connection that does not answer in time', async () => {
  const { database, asked } = databaseThat({});
  const engine = lockingEngine(database, { deadlineMs: 20 });
  const late = engine.transact('p', () => new Promise<void>(() => {}));
  await expect(late).rejects.toThrow(StorageUnavailableError);
  expect(asked).toEqual(['begin', 'destroy']);
});

it('lockingEngine releases a connection that is opened after the deadline', async () => {
  const { database, asked } = databaseThat({});
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
  expect(asked).toEqual(['release']);
});

it.each([
  ['options_invalid', 7],
  ['option_unknown', { deadline: 5 }],
  ['option_out_of_bounds', { deadlineMs: 0 }],
])('lockingEngine throws %s for the options %j', (code, options) => {
  const make = () => lockingEngine(databaseThat({}).database, options as object);
  expect(make).toThrow(expect.objectContaining({ code }));
});

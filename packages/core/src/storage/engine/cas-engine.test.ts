import { expect, it } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import { casEngine } from './cas-engine.ts';
import type { RangeRequest, Row, Rows } from './storage-engine.ts';
import type { VersionedDatabase } from './versioned-database.ts';

const clock = { ms: 1_700_000_000_000, nowMs: () => clock.ms };

/** A database of one partition in memory, with counts of its calls. */
function fakeDatabase() {
  const rows = new Map<string, Row>();
  const counts = { opened: 0, committed: 0, rejected: 0 };
  let version = 0;
  let serverAheadMs = 0;
  let beforeCommit: () => void | Promise<void> = () => {};
  const database: VersionedDatabase = {
    name: 'versions',
    async open() {
      counts.opened += 1;
      const openedVersion = version;
      return {
        version: openedVersion,
        isSnapshot: false,
        get: (key) => rows.get(key) ?? null,
        range: () => [...rows.values()],
        async commit(change) {
          await beforeCommit();
          if (version !== openedVersion || Date.now() + serverAheadMs > change.untilMs) {
            counts.rejected += 1;
            return false;
          }
          counts.committed += 1;
          version = change.version;
          for (const row of change.puts) rows.set(row.key, row);
          for (const key of change.deletes) rows.delete(key);
          return true;
        },
      };
    },
    find: async () => [],
  };
  return {
    database,
    counts,
    rows,
    /** Before each commit for which `doesConflict` returns true, another process commits. */
    conflictIf(doesConflict: () => boolean) {
      beforeCommit = () => {
        if (doesConflict()) version += 1;
      };
    },
    setServerAheadMs(ms: number) {
      serverAheadMs = ms;
    },
    /** The network holds back the commits until `arrival`. */
    holdCommitsUntil(arrival: Promise<void>) {
      beforeCommit = () => arrival;
    },
  };
}

async function increment(rows: Rows): Promise<number> {
  const value = Number((await rows.get('n'))?.value ?? 0);
  await rows.put({ key: 'n', value: value + 1, indexes: {}, expiresAtMs: null });
  return value;
}

it('casEngine commits transactions together only up to maxSharedRows rows', async () => {
  const { database, counts, rows } = fakeDatabase();
  const commitSizes: number[] = [];
  const countingDatabase: VersionedDatabase = {
    ...database,
    async open(partition) {
      const transaction = await database.open(partition);
      return {
        ...transaction,
        async commit(change) {
          commitSizes.push(change.puts.length);
          return transaction.commit(change);
        },
      };
    },
  };
  const engine = casEngine(countingDatabase, { clock, maxSharedRows: 5 });
  const putMany = (name: string, count: number) =>
    engine.transact('p', async (rowsOfCall) => {
      for (let i = 0; i < count; i += 1) {
        await rowsOfCall.put({ key: `${name} ${i}`, value: 1, indexes: {}, expiresAtMs: null });
      }
      return name;
    });
  const results = await Promise.all([
    putMany('first', 1),
    ...['a', 'b', 'c'].map((name) => putMany(name, 2)),
    putMany('large', 9),
    putMany('last', 2),
  ]);
  expect(results).toEqual(['first', 'a', 'b', 'c', 'large', 'last']);
  expect(commitSizes).toEqual([1, 4, 2, 9, 2]);
  expect([rows.size, counts.committed]).toEqual([18, 5]);
});

it('casEngine commits concurrent transactions of a partition together', async () => {
  const { database, counts } = fakeDatabase();
  const engine = casEngine(database, { clock });
  const results = await Promise.all(
    Array.from({ length: 200 }, () => engine.transact('p', increment)),
  );
  expect(results).toEqual(Array.from({ length: 200 }, (_, i) => i));
  expect(counts.committed).toBeLessThan(10);
});

it('casEngine commits a batch without the writes of a transaction that throws', async () => {
  const { database, rows } = fakeDatabase();
  const engine = casEngine(database, { clock });
  const failing = async (rowsOfCall: Rows) => {
    await increment(rowsOfCall);
    throw new Error('work throws');
  };
  const outcomes = await Promise.allSettled(
    [increment, increment, failing, increment].map((work) => engine.transact('p', work)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(rows.get('n')?.value).toBe(3);
});

it('casEngine reruns a transaction after a conflict, even if it threw or only read', async () => {
  const { database, counts, conflictIf } = fakeDatabase();
  const engine = casEngine(database, { clock });
  let conflicts = 2;
  conflictIf(() => conflicts-- > 0);
  expect(await engine.transact('p', increment)).toBe(0);
  expect(counts).toMatchObject({ rejected: 2, committed: 1 });
  let runs = 0;
  const rerun = engine.transact('p', async (rows) => {
    runs += 1;
    if (runs > 1) return (await rows.get('n'))?.value;
    // Another engine commits while this transaction reads.
    await casEngine(database, { clock }).transact('p', increment);
    throw new Error('half of a commit makes no sense');
  });
  expect(await rerun).toBe(2);
});

it('casEngine rejects at its deadline with StorageUnavailableError without committing later', async () => {
  const { database, counts, conflictIf } = fakeDatabase();
  conflictIf(() => true);
  const engine = casEngine(database, { clock, deadlineMs: 30 });
  await expect(engine.transact('p', increment)).rejects.toThrow(StorageUnavailableError);
  conflictIf(() => false);
  expect(await engine.transact('p', increment)).toBe(0);
  expect(counts.committed).toBe(1);
});

it('casEngine commits nothing if the network holds a commit back until a second after the deadline', async () => {
  const { database, counts, rows, setServerAheadMs, holdCommitsUntil } = fakeDatabase();
  const engine = casEngine(database, { clock, deadlineMs: 30 });
  let arrive = () => {};
  holdCommitsUntil(
    new Promise((resolve) => {
      arrive = resolve;
    }),
  );
  await expect(engine.transact('p', increment)).rejects.toThrow(StorageUnavailableError);
  // Later than the deadline of 30 ms, and the second by which clocks may differ.
  setServerAheadMs(1_500);
  arrive();
  await expect.poll(() => counts.rejected).toBe(1);
  expect(rows.size).toBe(0);
});

it('casEngine commits to a server whose clock is almost a second ahead', async () => {
  const { database, rows, setServerAheadMs } = fakeDatabase();
  setServerAheadMs(999);
  await casEngine(database, { clock }).transact('p', increment);
  expect(rows.size).toBe(1);
});

it('casEngine rejects with the error of a commit that throws', async () => {
  const { database, conflictIf } = fakeDatabase();
  const connectionLost = new Error('the connection is lost');
  conflictIf(() => {
    throw connectionLost;
  });
  await expect(casEngine(database, { clock }).transact('p', increment)).rejects.toBe(
    connectionLost,
  );
});

it('casEngine returns an empty range that ends before it starts without asking the database', async () => {
  const { database } = fakeDatabase();
  const requests: RangeRequest[] = [];
  const recording: VersionedDatabase = {
    ...database,
    async open(partition) {
      const range = (_: string, request: RangeRequest) => {
        requests.push(request);
        return [];
      };
      return { ...(await database.open(partition)), range };
    },
  };
  const ranges = [{ from: 'b', before: 'a' }, { from: 'a', before: 'a' }, { before: 'a' }];
  await casEngine(recording, { clock }).transact('p', async (rows) => {
    for (const range of ranges) expect(await rows.range('i', range)).toEqual([]);
  });
  expect(requests).toEqual([{ before: 'a' }]);
});

it('casEngine keeps time monotonic only if clocks differ by less than a second', async () => {
  const { database } = fakeDatabase();
  const timeOf = (nowMs: number) =>
    casEngine(database, { clock: { nowMs: () => nowMs } }).transact('p', async (rows, workMs) => {
      await increment(rows);
      return workMs;
    });
  expect(await timeOf(clock.ms)).toBe(clock.ms);
  expect(await timeOf(clock.ms - 999)).toBe(clock.ms);
  expect(await timeOf(clock.ms - 60_000)).toBe(clock.ms - 60_000);
  expect(await timeOf(clock.ms + 1)).toBe(clock.ms + 1);
});

it.each([
  ['options_invalid', 7],
  ['option_unknown', { deadline: 5 }],
  ['option_out_of_bounds', { deadlineMs: 0 }],
])('casEngine throws %s for the options %j', (code, options) => {
  const make = () => casEngine(fakeDatabase().database, options as object);
  expect(make).toThrow(expect.objectContaining({ code }));
});

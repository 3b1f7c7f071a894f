import { expect, it } from 'vitest';
import { StorageUnavailableError } from '../../errors.ts';
import { casEngine } from './cas-engine.ts';
import type { Row, Rows } from './storage-engine.ts';
import type { VersionedDatabase } from './versioned-database.ts';

const clock = { ms: 1_700_000_000_000, nowMs: () => clock.ms };

/** Versions and rows, and how often they were read and written. */
function versions() {
  const rows = new Map<string, Row>();
  const counts = { opened: 0, committed: 0, rejected: 0 };
  let version = 0;
  let inTheWay = () => {};
  const database: VersionedDatabase = {
    name: 'versions',
    async open() {
      counts.opened += 1;
      const opened = version;
      return {
        version: opened,
        isSnapshot: false,
        get: (key) => rows.get(key) ?? null,
        range: () => [...rows.values()],
        async commit(change) {
          inTheWay();
          if (version !== opened) {
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
    ...{ database, counts, rows },
    /** Called ahead of each commit; what it answers is a commit of somebody else. */
    disturb(by: () => boolean) {
      inTheWay = () => {
        if (by()) version += 1;
      };
    },
  };
}

async function increment(rows: Rows): Promise<number> {
  const before = Number((await rows.get('n'))?.value ?? 0);
  await rows.put({ key: 'n', value: before + 1, indexes: {}, expiresAtMs: null });
  return before;
}

it('casEngine shares no commit of more rows than maxSharedRows, but commits a larger transaction alone', async () => {
  const { database, counts, rows } = versions();
  const sizes: number[] = [];
  const counted: VersionedDatabase = {
    ...database,
    async open(partition) {
      const opened = await database.open(partition);
      return {
        ...opened,
        async commit(change) {
          sizes.push(change.puts.length);
          return opened.commit(change);
        },
      };
    },
  };
  const engine = casEngine(counted, { clock, maxSharedRows: 5 });
  const putMany = (name: string, count: number) =>
    engine.transact('p', async (stored) => {
      for (let i = 0; i < count; i += 1) {
        await stored.put({ key: `${name} ${i}`, value: 1, indexes: {}, expiresAtMs: null });
      }
      return name;
    });
  const answers = await Promise.all([
    putMany('first', 1),
    ...['a', 'b', 'c'].map((name) => putMany(name, 2)),
    putMany('large', 9),
    putMany('last', 2),
  ]);
  expect(answers).toEqual(['first', 'a', 'b', 'c', 'large', 'last']);
  expect(sizes).toEqual([1, 4, 2, 9, 2]);
  expect([rows.size, counts.committed]).toEqual([18, 5]);
});

it('casEngine commits concurrent transactions of a partition together', async () => {
  const { database, counts } = versions();
  const engine = casEngine(database, { clock });
  const found = await Promise.all(
    Array.from({ length: 200 }, () => engine.transact('p', increment)),
  );
  expect(found).toEqual(Array.from({ length: 200 }, (_, i) => i));
  expect(counts.committed).toBeLessThan(10);
});

it('casEngine keeps nothing of a transaction that throws, and commits the others of its batch', async () => {
  const { database, rows } = versions();
  const engine = casEngine(database, { clock });
  const failing = async (each: Rows) => {
    await increment(each);
    throw new Error('work throws');
  };
  const all = [increment, failing, increment].map((work) => engine.transact('p', work));
  const outcomes = await Promise.allSettled([engine.transact('p', increment), ...all]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  ]);
  expect(rows.get('n')?.value).toBe(3);
});

it('casEngine reruns a transaction after a conflict, even if it threw or only read', async () => {
  const { database, counts, disturb } = versions();
  const engine = casEngine(database, { clock });
  let conflicts = 2;
  disturb(() => conflicts-- > 0);
  expect(await engine.transact('p', increment)).toBe(0);
  expect(counts).toMatchObject({ rejected: 2, committed: 1 });
  let runs = 0;
  const torn = engine.transact('p', async (rows) => {
    runs += 1;
    if (runs > 1) return (await rows.get('n'))?.value;
    // Somebody else commits while this one reads.
    await casEngine(database, { clock }).transact('p', increment);
    throw new Error('half of a commit makes no sense');
  });
  expect(await torn).toBe(2);
});

it('casEngine rejects at its deadline, and commits nothing later', async () => {
  const { database, counts, disturb } = versions();
  disturb(() => true);
  const engine = casEngine(database, { clock, deadlineMs: 30 });
  await expect(engine.transact('p', increment)).rejects.toThrow(StorageUnavailableError);
  disturb(() => false);
  expect(await engine.transact('p', increment)).toBe(0);
  expect(counts.committed).toBe(1);
});

it('casEngine rejects with the error of a commit that throws', async () => {
  const { database, disturb } = versions();
  const lost = new Error('the connection is lost');
  disturb(() => {
    throw lost;
  });
  await expect(casEngine(database, { clock }).transact('p', increment)).rejects.toBe(lost);
});

it('casEngine keeps time monotonic if clocks differ a little, and follows a clock set back', async () => {
  const { database } = versions();
  const timeOf = (nowMs: number) =>
    casEngine(database, { clock: { nowMs: () => nowMs } }).transact('p', async (rows, given) => {
      await increment(rows);
      return given;
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
  const make = () => casEngine(versions().database, options as object);
  expect(make).toThrow(expect.objectContaining({ code }));
});

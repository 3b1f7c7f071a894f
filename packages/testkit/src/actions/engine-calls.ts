import assert, { AssertionError } from 'node:assert';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FoundRow, RangeRequest, Row, Rows, StorageEngine } from '@latchhook/core/storage';
import { newRow } from '../samples/row-samples.ts';

/** The contract allows a second; the rest is for busy machines. */
const FOUND_WITHIN_MS = 1_200;
/** For how long a transaction is held open for a concurrent read, which may wait for the end of the transaction. */
const HELD_OPEN_MS = 500;

export async function putAll(
  engine: StorageEngine,
  partition: string,
  ...rows: readonly Row[]
): Promise<void> {
  await engine.transact(partition, async ({ put }) => {
    for (const row of rows) await put(row);
  });
}

/** Reads concurrently with a transaction that writes rows and fails: once before it fails, and once after. */
export async function readsDuringFailure<Read>(
  engine: StorageEngine,
  partition: string,
  written: readonly Row[],
  read: () => Promise<Read>,
): Promise<readonly Read[]> {
  const reads: Promise<Read>[] = [];
  const failing = engine.transact(partition, async ({ put }) => {
    for (const row of written) await put(row);
    const concurrentRead = read();
    reads.push(concurrentRead);
    await Promise.race([concurrentRead.catch(() => {}), delay(HELD_OPEN_MS)]);
    throw new Error('work throws');
  });
  await assert.rejects(failing, /work throws/);
  reads.push(read());
  return Promise.all(reads);
}

export function getOne(engine: StorageEngine, partition: string, key: string) {
  return engine.transact(partition, async (rows) => rowMembers(await rows.get(key)));
}

export function rangeOf(
  engine: StorageEngine,
  partition: string,
  index: string,
  request?: RangeRequest,
): Promise<readonly Row[]> {
  return engine.transact(partition, async (rows) =>
    (await rows.range(index, request)).map((row) => rowMembers(row) ?? row),
  );
}

/** Leaves out the members that an engine may add to a row. */
export function rowMembers(row: Row | null | undefined): Row | null {
  assert.ok(row !== undefined, 'returns undefined instead of a row or null');
  if (row === null) return null;
  const { key, value, indexes, expiresAtMs } = row;
  return { key, value, indexes, expiresAtMs };
}

export function keysOf(rows: readonly Row[]): readonly string[] {
  return rows.map(({ key }) => key);
}

/** Adds one to the value of a row, and returns the value from before. */
export async function increment(
  rows: Rows,
  key: string,
  pause: () => Promise<unknown> = nextTurn,
): Promise<number> {
  const before = Number((await rows.get(key))?.value ?? 0);
  await pause();
  await rows.put(newRow(key, { value: before + 1 }));
  return before;
}

/** Asserts that `find` returns the expected rows within a second. */
export async function assertFindsSoon(
  engine: StorageEngine,
  [index, request]: readonly [string, RangeRequest & { readonly limit: number }],
  pick: (rows: readonly FoundRow[]) => unknown,
  expected: unknown,
): Promise<void> {
  const giveUpAtMs = performance.now() + FOUND_WITHIN_MS;
  for (;;) {
    const actual = pick(await engine.find(index, request));
    if (isDeepStrictEqual(actual, expected)) return;
    if (performance.now() > giveUpAtMs) {
      throw new AssertionError({ message: 'finds other rows', actual, expected });
    }
    await delay(5);
  }
}

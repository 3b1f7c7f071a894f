import assert, { AssertionError } from 'node:assert';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FoundRow, RangeRequest, Row, Rows, StorageEngine } from '@latchhook/core/storage';
import { newRow } from '../samples/row-samples.ts';

/** A second by the contract; the rest is for busy machines. */
const FOUND_AFTER_MS = 1_200;
/** How long a transaction is held open for what looks beside it, which may wait for its end. */
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

/** What others see once a transaction has written its rows: while it is open, and when it has failed. */
export async function seenBesideFailing<Seen>(
  engine: StorageEngine,
  partition: string,
  written: readonly Row[],
  look: () => Promise<Seen>,
): Promise<readonly Seen[]> {
  const looks: Promise<Seen>[] = [];
  const failing = engine.transact(partition, async ({ put }) => {
    for (const row of written) await put(row);
    const looked = look();
    looks.push(looked);
    await Promise.race([looked.catch(() => {}), delay(HELD_OPEN_MS)]);
    throw new Error('work throws');
  });
  await assert.rejects(failing, /work throws/);
  looks.push(look());
  return Promise.all(looks);
}

export function getOne(engine: StorageEngine, partition: string, key: string) {
  return engine.transact(partition, async (rows) => inFull(await rows.get(key)));
}

export function rangeOf(
  engine: StorageEngine,
  partition: string,
  index: string,
  request?: RangeRequest,
): Promise<readonly Row[]> {
  return engine.transact(partition, async (rows) =>
    (await rows.range(index, request)).map((row) => inFull(row) ?? row),
  );
}

/** The members of a row alone: an engine may answer more. */
export function inFull(row: Row | null | undefined): Row | null {
  assert.ok(row !== undefined, 'answers undefined where it should answer a row or null');
  if (row === null) return null;
  const { key, value, indexes, expiresAtMs } = row;
  return { key, value, indexes, expiresAtMs };
}

export function keysOf(rows: readonly Row[]): readonly string[] {
  return rows.map(({ key }) => key);
}

/** Adds one to the value of a row, and returns what it was. */
export async function increment(
  rows: Rows,
  key: string,
  pause: () => Promise<unknown> = turn,
): Promise<number> {
  const before = Number((await rows.get(key))?.value ?? 0);
  await pause();
  await rows.put(newRow(key, { value: before + 1 }));
  return before;
}

/** Looks for what has to be found in a second, and fails with what is found instead. */
export async function findsAtLast(
  engine: StorageEngine,
  [index, request]: readonly [string, RangeRequest & { readonly limit: number }],
  see: (rows: readonly FoundRow[]) => unknown,
  expected: unknown,
): Promise<void> {
  const until = performance.now() + FOUND_AFTER_MS;
  for (;;) {
    const actual = see(await engine.find(index, request));
    if (isDeepStrictEqual(actual, expected)) return;
    if (performance.now() > until) {
      throw new AssertionError({ message: 'finds other rows', actual, expected });
    }
    await delay(5);
  }
}

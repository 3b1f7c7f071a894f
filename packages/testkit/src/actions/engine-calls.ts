import assert from 'node:assert';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Row, Rows } from '@latchhook/core/storage';
import type { EngineConnection } from '../engine/engine-connection.ts';
import { newRow } from '../samples/row-samples.ts';

/** For how long a transaction is held open for a concurrent read, which may wait for the end of the transaction. */
const HELD_OPEN_MS = 500;

/** Reads concurrently with a transaction that writes rows and fails: once before it fails, and once after. */
export async function readsDuringFailure<Read>(
  connection: EngineConnection,
  written: readonly Row[],
  read: () => Promise<Read>,
): Promise<readonly Read[]> {
  const reads: Promise<Read>[] = [];
  const failing = connection.transact(async ({ put }) => {
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

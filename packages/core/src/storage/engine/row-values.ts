import type { RangeRequest, Rows } from './storage-engine.ts';

/** The value of a row, of the type with which it was stored; `undefined`: there is no such row. */
export async function readValue<Value>(rows: Rows, key: string): Promise<Value | undefined> {
  return (await rows.get(key))?.value as Value | undefined;
}

/** The values of the rows in a range of an index. All rows of the index were stored with values of this type. */
export async function readValues<Value>(
  rows: Rows,
  index: string,
  request?: RangeRequest,
): Promise<readonly Value[]> {
  return (await rows.range(index, request)).map(({ value }) => value as Value);
}

import type { SqlRow, SqlRowStatements } from '@latchhook/core/storage';
import type { SqliteConnection } from './sqlite-connection.ts';

const COLUMNS = 'r.key, r.value, r.indexes, r.expires_at_ms';
// CROSS JOIN makes SQLite read the index of sort keys first.
const INDEXED = 'FROM latchhook_index_entries p CROSS JOIN latchhook_rows r USING (partition, key)';
const WITHIN =
  'p.index_name = ? AND p.sort_key >= ? AND p.sort_key < ? ORDER BY p.sort_key LIMIT ?';

const SELECT = `SELECT ${COLUMNS} FROM latchhook_rows r WHERE partition = ? AND key = ?`;
const RANGE = `SELECT ${COLUMNS} ${INDEXED} WHERE p.partition = ? AND ${WITHIN}`;
/** Selects from all partitions; the first column is the partition. */
export const FIND: string = `SELECT p.partition, ${COLUMNS} ${INDEXED} WHERE ${WITHIN}`;
const PUT = `INSERT INTO latchhook_rows (value, indexes, expires_at_ms, partition, key) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (partition, key) DO UPDATE
  SET value = excluded.value, indexes = excluded.indexes, expires_at_ms = excluded.expires_at_ms`;
// A trigger deletes the sort keys of the row.
const DELETE = 'DELETE FROM latchhook_rows WHERE partition = ? AND key = ?';
const PUT_INDEX_ENTRY = `INSERT INTO latchhook_index_entries (partition, key, index_name, sort_key) VALUES (?, ?, ?, ?)
  ON CONFLICT (partition, key, index_name) DO UPDATE SET sort_key = excluded.sort_key`;
const DELETE_INDEX_ENTRY =
  'DELETE FROM latchhook_index_entries WHERE partition = ? AND key = ? AND index_name = ?';

/** Deletes ten rows because one transaction may put several: rows must be deleted as fast as they are added. */
const FORGET = `DELETE FROM latchhook_rows WHERE rowid IN (
  SELECT rowid FROM latchhook_rows WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT 10)`;

/** The statements of a transaction on one partition. */
export function partitionStatements(
  connection: SqliteConnection,
  partition: string,
): SqlRowStatements {
  return {
    find: (keys) => keys.flatMap((key) => connection.all(SELECT, partition, key).map(toSqlRow)),
    range: (index, { from, before, limit }) =>
      connection
        // -1 is no limit.
        .all(RANGE, partition, index, from, before, Number.isFinite(limit) ? limit : -1)
        .map(toSqlRow),
    delete(keys) {
      for (const key of keys) connection.run(DELETE, partition, key);
    },
    put(rows) {
      for (const { key, value, indexes, expiresAtMs } of rows)
        connection.run(PUT, value, indexes, expiresAtMs, partition, key);
    },
    deleteIndexEntries(entries) {
      for (const { key, index } of entries)
        connection.run(DELETE_INDEX_ENTRY, partition, key, index);
    },
    putIndexEntries(entries) {
      for (const { key, index, sortKey } of entries)
        connection.run(PUT_INDEX_ENTRY, partition, key, index, sortKey);
    },
  };
}

/** Deletes some expired rows. Later transactions delete the rest, so that no transaction takes long. */
export function forgetExpired(connection: SqliteConnection, nowMs: number): void {
  connection.run(FORGET, nowMs);
}

export function toSqlRow([key, value, indexes, expiresAtMs]: readonly unknown[]): SqlRow {
  return {
    key: String(key),
    value: String(value),
    indexes: String(indexes),
    expiresAtMs: expiresAtMs === null ? null : Number(expiresAtMs),
  };
}

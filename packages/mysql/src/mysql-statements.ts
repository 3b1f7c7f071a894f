import { createHash } from 'node:crypto';
import type { SqlRow, SqlRowStatements } from '@latchhook/core/storage';
import type { ConnectionLease, MysqlRow } from './connection-lease.ts';
import { STRIPES } from './migrations.ts';

const COLUMNS = 'r.row_key, r.value_json, r.indexes_json, r.expires_at_ms';
// In this order, by the index of places.
const PLACED = `FROM latchhook_places p STRAIGHT_JOIN latchhook_rows r
  ON r.partition_name = p.partition_name AND r.row_key = p.row_key`;
const WITHIN = 'p.index_name = ? AND p.place >= ? AND p.place < ? ORDER BY p.place';
const SAME_ROW = 'p.partition_name = r.partition_name AND p.row_key = r.row_key';

export const LOCK = 'SELECT stripe FROM latchhook_locks WHERE stripe = ? FOR UPDATE';
/** In UTC: a change to or from summer time is none. */
export const NOW =
  "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000";

const SELECT = `SELECT ${COLUMNS} FROM latchhook_rows r WHERE partition_name = ? AND row_key = ?`;
const RANGE = `SELECT ${COLUMNS} ${PLACED} WHERE p.partition_name = ? AND ${WITHIN}`;
/** Over all partitions; the partition is the first column. */
const FIND = `SELECT p.partition_name, ${COLUMNS} ${PLACED} WHERE ${WITHIN}`;
const PUT = `INSERT INTO latchhook_rows
  (partition_name, row_key, stripe, value_json, indexes_json, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?)
  ON DUPLICATE KEY UPDATE value_json = VALUES(value_json), indexes_json = VALUES(indexes_json),
    expires_at_ms = VALUES(expires_at_ms)`;
const DELETE = `DELETE r, p FROM latchhook_rows r LEFT JOIN latchhook_places p ON ${SAME_ROW}
  WHERE r.partition_name = ? AND r.row_key = ?`;
const FORGET = `DELETE r, p FROM (
    SELECT partition_name, row_key FROM latchhook_rows
    WHERE stripe = ? AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT 100
  ) expired
  JOIN latchhook_rows r ON r.partition_name = expired.partition_name AND r.row_key = expired.row_key
  LEFT JOIN latchhook_places p ON ${SAME_ROW}`;

/** The row that transactions of this partition lock; those of some others lock the same. */
export function stripeOf(partition: string): number {
  return createHash('sha256').update(partition).digest().readUInt16BE() % STRIPES;
}

export interface MysqlPartition extends SqlRowStatements {
  /** Whether it was asked to put a row. */
  readonly hasPut: boolean;
}

export function partitionStatements(lease: ConnectionLease, partition: string): MysqlPartition {
  let hasPut = false;
  return {
    get hasPut() {
      return hasPut;
    },
    async find(key) {
      const [row] = await lease.execute(SELECT, [partition, key]);
      return row === undefined ? null : sqlRowIn(row);
    },
    async range(index, { from, before, limit }) {
      const text = `${RANGE}${limitOf(limit)}`;
      return (await lease.execute(text, [partition, index, from, before])).map(sqlRowIn);
    },
    async put({ key, value, indexes, expiresAtMs }) {
      hasPut = true;
      const values = [partition, key, stripeOf(partition), value, indexes, expiresAtMs];
      await lease.execute(PUT, values);
    },
    async delete(key) {
      await lease.execute(DELETE, [partition, key]);
    },
    async putPlaces(key, places) {
      const each = places.map(() => '(?, ?, ?, ?)').join();
      await lease.execute(
        `INSERT INTO latchhook_places (partition_name, row_key, index_name, place) VALUES ${each}
  ON DUPLICATE KEY UPDATE place = VALUES(place)`,
        places.flatMap(([index, place]) => [partition, key, index, place]),
      );
    },
    async deletePlaces(key, indexes) {
      const each = indexes.map(() => '?').join();
      await lease.execute(
        `DELETE FROM latchhook_places WHERE partition_name = ? AND row_key = ? AND index_name IN (${each})`,
        [partition, key, ...indexes],
      );
    },
  };
}

/** Rows of an index over all partitions; the partition is the first column of each. */
export function findPlaced(
  lease: ConnectionLease,
  index: string,
  { from, before, limit }: { from: string; before: string; limit: number },
): Promise<readonly MysqlRow[]> {
  return lease.execute(`${FIND}${limitOf(limit)}`, [index, from, before]);
}

/** Deletes some of the rows whose time is over, of those that the lock of this transaction covers. */
export async function forgetExpired(
  lease: ConnectionLease,
  partition: string,
  nowMs: number,
): Promise<void> {
  await lease.execute(FORGET, [stripeOf(partition), nowMs]);
}

export function sqlRowIn([key, value, indexes, expiresAtMs]: MysqlRow): SqlRow {
  return {
    key: String(key),
    value: String(value),
    indexes: String(indexes),
    expiresAtMs: expiresAtMs === null ? null : Number(expiresAtMs),
  };
}

/** Not as a parameter: mysql2 sends numbers as doubles, which MySQL refuses there. */
function limitOf(limit: number): string {
  return Number.isFinite(limit) ? ` LIMIT ${Math.trunc(limit)}` : '';
}

import { createHash } from 'node:crypto';
import type { SqlPlace, SqlRange, SqlRow } from '@latchhook/core/storage';
import { STRIPES } from './migrations.ts';
import type { MysqlRow } from './mysql-session.ts';

// The value as bytes, because the host's character set may lack a backslash.
const COLUMNS = 'r.row_key, CAST(r.value_json AS BINARY), r.indexes_json, r.expires_at_ms';
// STRAIGHT_JOIN reads the index of places first.
const PLACED = `FROM latchhook_places p STRAIGHT_JOIN latchhook_rows r
  ON r.partition_name = p.partition_name AND r.row_key = p.row_key`;
const SAME_ROW = 'p.partition_name = r.partition_name AND p.row_key = r.row_key';

export const PUT_AND_COMMIT_UNTIL = 'CALL latchhook_put_and_commit_until(?, ?, ?, ?, ?, ?, ?)';
/** The time of the server, ms since 1970. UTC, so that it does not jump with summer time. */
const UTC_MS = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000";
export const NOW: string = `SELECT ${UTC_MS}`;

const putRows = (values: string) => `INSERT INTO latchhook_rows
  (partition_name, row_key, stripe, value_json, indexes_json, expires_at_ms) VALUES ${values}
  ON DUPLICATE KEY UPDATE value_json = VALUES(value_json), indexes_json = VALUES(indexes_json),
    expires_at_ms = VALUES(expires_at_ms)`;
/** Deletes some of the expired rows that the lock of this transaction covers. */
export const FORGET: string = `DELETE r, p FROM (
    SELECT partition_name, row_key FROM latchhook_rows
    WHERE stripe = ? AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT 100
  ) expired
  JOIN latchhook_rows r ON r.partition_name = expired.partition_name AND r.row_key = expired.row_key
  LEFT JOIN latchhook_places p ON ${SAME_ROW}`;

/** The end of a transaction even if the host has set `completion_type`, which would begin another one. */
export const COMMIT = 'COMMIT AND NO CHAIN NO RELEASE';
export const ROLLBACK = 'ROLLBACK AND NO CHAIN NO RELEASE';
/** The limit of a SELECT of all rows. Without one, the host's `sql_select_limit` would hide rows. */
export const NO_LIMIT = 'LIMIT 18446744073709551615';

const NAME = 'VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin';
/** Compares the time at the end because the deadline of the caller may have passed during a wait for a lock. */
const COMMIT_UNTIL = `IF ${UTC_MS} > in_until_ms THEN
    ${ROLLBACK};
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'The commit came too late, and was rolled back';
  END IF;
  ${COMMIT};`;

/**
 * The procedures by name. Each begins or ends a transaction in one round trip. A changed body needs a new name because
 * existing procedures are not replaced.
 */
export const PROCEDURES: Readonly<Record<string, string>> = {
  // READ COMMITTED, for this transaction only, locks no gaps, so that partitions do not wait for each other. The time
  // is read in the statement after the lock because each statement of a procedure has its own time.
  latchhook_begin: `CREATE PROCEDURE latchhook_begin(
  IN in_stripe SMALLINT UNSIGNED, IN in_partition ${NAME}, IN in_key ${NAME}
) SQL SECURITY INVOKER
BEGIN
  DECLARE locked_stripe SMALLINT UNSIGNED DEFAULT NULL;
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION READ WRITE;
  SELECT stripe INTO locked_stripe FROM latchhook_locks WHERE stripe = in_stripe FOR UPDATE;
  SELECT ${UTC_MS}, locked_stripe, ${COLUMNS} FROM (SELECT 1) single_row
    LEFT JOIN latchhook_rows r ON r.partition_name = in_partition AND r.row_key = in_key;
END`,
  latchhook_commit_until: `CREATE PROCEDURE latchhook_commit_until(IN in_until_ms BIGINT) SQL SECURITY INVOKER
BEGIN
  ${COMMIT_UNTIL}
END`,
  latchhook_put_and_commit_until: `CREATE PROCEDURE latchhook_put_and_commit_until(
  IN in_partition ${NAME}, IN in_key ${NAME}, IN in_stripe SMALLINT UNSIGNED,
  IN in_value LONGTEXT CHARACTER SET ascii, IN in_indexes TEXT CHARACTER SET ascii, IN in_expires_at_ms BIGINT,
  IN in_until_ms BIGINT
) SQL SECURITY INVOKER
BEGIN
  ${putRows('(in_partition, in_key, in_stripe, in_value, in_indexes, in_expires_at_ms)')};
  ${COMMIT_UNTIL}
END`,
};

/** The lock row of a partition. Several partitions share one lock row. */
export function stripeOf(partition: string): number {
  return createHash('sha256').update(partition).digest().readUInt16BE() % STRIPES;
}

/** Takes the lock, and reads the time and a row: {@link PROCEDURES}. */
export function beginStatement(stripe: number, partition: string, firstKey: string): string {
  return `CALL latchhook_begin(${stripe}, ${quoted(partition)}, ${quoted(firstKey)})`;
}

/** Commits the transaction, unless the time is after `untilMs`: {@link PROCEDURES}. */
export function commitStatement(untilMs: number): string {
  return `CALL latchhook_commit_until(${Math.trunc(untilMs)})`;
}

/** Selects the rows with these keys. */
export function findStatement(partition: string, keys: readonly string[]): string {
  return `SELECT ${COLUMNS} FROM latchhook_rows r WHERE ${rowsWith(partition, keys)} ${NO_LIMIT}`;
}

export function rangeStatement(partition: string, index: string, range: SqlRange): string {
  return `SELECT ${COLUMNS} ${PLACED} WHERE p.partition_name = ${quoted(partition)} AND ${within(index, range)}`;
}

/** Selects rows of an index over all partitions; the first column is the partition. */
export function findOverAllStatement(index: string, range: SqlRange): string {
  return `SELECT p.partition_name, ${COLUMNS} ${PLACED} WHERE ${within(index, range)}`;
}

/** A prepared statement, as values have characters that a text would have to escape in the SQL mode of the session. */
export function putStatement(count: number): string {
  return putRows(new Array(count).fill('(?, ?, ?, ?, ?, ?)').join());
}

export function deleteStatement(partition: string, keys: readonly string[]): string {
  return `DELETE r, p FROM latchhook_rows r LEFT JOIN latchhook_places p ON ${SAME_ROW}
  WHERE ${rowsWith(partition, keys)}`;
}

export function putPlacesStatement(partition: string, places: readonly SqlPlace[]): string {
  const values = places.map(
    ({ key, index, place }) => `(${[partition, key, index, place].map(quoted).join()})`,
  );
  return `INSERT INTO latchhook_places (partition_name, row_key, index_name, place) VALUES ${values.join()}
  ON DUPLICATE KEY UPDATE place = VALUES(place)`;
}

export function deletePlacesStatement(partition: string, places: readonly SqlPlace[]): string {
  const values = places.map(({ key, index }) => `(${quoted(key)}, ${quoted(index)})`);
  return `DELETE FROM latchhook_places
  WHERE partition_name = ${quoted(partition)} AND (row_key, index_name) IN (${values.join()})`;
}

function rowsWith(partition: string, keys: readonly string[]): string {
  return `r.partition_name = ${quoted(partition)} AND r.row_key IN (${keys.map(quoted).join()})`;
}

/** The condition, the order and the limit of a range. */
function within(index: string, { from, before, limit }: SqlRange): string {
  const condition = `p.index_name = ${quoted(index)} AND p.place >= ${quoted(from)} AND p.place < ${quoted(before)}`;
  const limited = Number.isFinite(limit) ? `LIMIT ${Math.trunc(limit)}` : NO_LIMIT;
  return `${condition} ORDER BY p.place ${limited}`;
}

/**
 * A name in a statement that is not prepared: preparing takes a round trip, and each number of names would be another
 * statement. Its characters are checked, so the text is safe in every SQL mode.
 */
function quoted(name: string): string {
  if (!/^[\w/:~-]*$/.test(name))
    throw new TypeError('A name may contain only letters, digits and `_/:-`.');
  return `'${name}'`;
}

export function toSqlRow([key, value, indexes, expiresAtMs]: MysqlRow): SqlRow {
  return {
    key: String(key),
    value: String(value),
    indexes: String(indexes),
    expiresAtMs: expiresAtMs === null ? null : Number(expiresAtMs),
  };
}

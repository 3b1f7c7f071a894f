import { hash } from 'node:crypto';
import type { SqlIndexEntry, SqlRange, SqlRow } from '@latchhook/core/storage';
import { STRIPES } from './migrations.ts';
import type { MysqlRow } from './mysql-session.ts';

// The value as bytes, because the host's character set may lack a backslash.
const COLUMNS = 'r.row_key, CAST(r.value_json AS BINARY), r.indexes_json, r.expires_at_ms';
// STRAIGHT_JOIN reads the index of sort keys first.
const INDEXED = `FROM latchhook_index_entries p STRAIGHT_JOIN latchhook_rows r
  ON r.partition_name = p.partition_name AND r.row_key = p.row_key`;
const SAME_ROW = 'p.partition_name = r.partition_name AND p.row_key = r.row_key';

/** The time of the server, ms since 1970. UTC, so that it does not jump with summer time. */
const UTC_MS = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000";
export const NOW: string = `SELECT ${UTC_MS}`;

const putRows = (values: string) => `INSERT INTO latchhook_rows
  (partition_name, row_key, stripe, value_json, indexes_json, expires_at_ms) VALUES ${values}
  ON DUPLICATE KEY UPDATE value_json = VALUES(value_json), indexes_json = VALUES(indexes_json),
    expires_at_ms = VALUES(expires_at_ms)`;
/** Ends only the transaction, even if the host has set `completion_type`, which would begin another one. */
export const COMMIT = 'COMMIT AND NO CHAIN NO RELEASE';
export const ROLLBACK = 'ROLLBACK AND NO CHAIN NO RELEASE';
/** The limit of a SELECT of all rows. Without one, the host's `sql_select_limit` would hide rows. */
const NO_LIMIT_COUNT = '18446744073709551615';
export const NO_LIMIT: string = `LIMIT ${NO_LIMIT_COUNT}`;

/** The type of the parameters with names: of partitions, keys and indexes. */
const NAME = 'VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin';
/** Compares the time at the end because the deadline of the caller may have passed during a wait for a lock. */
const COMMIT_UNTIL = `IF ${UTC_MS} > in_until_ms THEN
    ${ROLLBACK};
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'The commit came too late, and was rolled back';
  END IF;
  ${COMMIT};`;
/** The parameters of `latchhook_write_and_commit_until`, each with a statement to run, or NULL. */
const WRITES = ['in_first', 'in_second', 'in_third', 'in_fourth'] as const;
/** How many statements {@link writeAndCommitStatement} gets at most. */
export const MAX_WRITES: number = WRITES.length;
const runWrite = (parameter: string) => `IF ${parameter} IS NOT NULL THEN
    SET @latchhook_write = ${parameter};
    PREPARE latchhook_write FROM @latchhook_write;
    EXECUTE latchhook_write;
    DEALLOCATE PREPARE latchhook_write;
  END IF;`;

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
  latchhook_put_and_commit_until: `CREATE PROCEDURE latchhook_put_and_commit_until(
  IN in_partition ${NAME}, IN in_key ${NAME}, IN in_stripe SMALLINT UNSIGNED,
  IN in_value LONGTEXT CHARACTER SET ascii, IN in_indexes TEXT CHARACTER SET ascii, IN in_expires_at_ms BIGINT,
  IN in_until_ms BIGINT
) SQL SECURITY INVOKER
BEGIN
  ${putRows('(in_partition, in_key, in_stripe, in_value, in_indexes, in_expires_at_ms)')};
  ${COMMIT_UNTIL}
END`,
  latchhook_write_and_commit_until: `CREATE PROCEDURE latchhook_write_and_commit_until(
  ${WRITES.map((name) => `IN ${name} LONGTEXT CHARACTER SET ascii`).join(', ')},
  IN in_until_ms BIGINT
) SQL SECURITY INVOKER
BEGIN
  -- The variable outlives the call, on a connection that returns to the pool of the host.
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SET @latchhook_write = NULL; RESIGNAL; END;
  ${WRITES.map(runWrite).join('\n  ')}
  SET @latchhook_write = NULL;
  ${COMMIT_UNTIL}
END`,
  // READ COMMITTED, for this transaction only, because the host's default level may allow dirty reads.
  latchhook_find_rows: `CREATE PROCEDURE latchhook_find_rows(
  IN in_index ${NAME}, IN in_from ${NAME}, IN in_before ${NAME}, IN in_limit BIGINT UNSIGNED
) SQL SECURITY INVOKER
BEGIN
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION READ ONLY;
  SELECT p.partition_name, ${COLUMNS} ${INDEXED}
    WHERE p.index_name = in_index AND p.sort_key >= in_from AND p.sort_key < in_before
    ORDER BY p.sort_key LIMIT in_limit;
  ${COMMIT};
END`,
};

/** The lock row of a partition. Several partitions share one lock row. */
export function stripeOf(partition: string): number {
  return Number.parseInt(hash('sha256', partition).slice(0, 4), 16) % STRIPES;
}

/** Takes the lock, and reads the time and a row: {@link PROCEDURES}. */
export function beginStatement(stripe: number, partition: string, firstKey: string): string {
  return `CALL latchhook_begin(${stripe}, ${quoted(partition)}, ${quoted(firstKey)})`;
}

/** Selects the rows with these keys. */
export function findStatement(partition: string, keys: readonly string[]): string {
  return `SELECT ${COLUMNS} FROM latchhook_rows r WHERE ${rowsWith(partition, keys)} ${NO_LIMIT}`;
}

export function rangeStatement(partition: string, index: string, range: SqlRange): string {
  return `SELECT ${COLUMNS} ${INDEXED} WHERE p.partition_name = ${quoted(partition)} AND ${within(index, range)}`;
}

/** Finds rows of an index over all partitions; the first column is the partition: {@link PROCEDURES}. */
export function findOverAllStatement(index: string, { from, before, limit }: SqlRange): string {
  const limited = Number.isFinite(limit) ? Math.trunc(limit) : NO_LIMIT_COUNT;
  return `CALL latchhook_find_rows(${[index, from, before].map(quoted).join()}, ${limited})`;
}

export function putStatement(partition: string, stripe: number, rows: readonly SqlRow[]): string {
  return putRows(rows.map((row) => `(${valuesOf(partition, stripe, row)})`).join());
}

/** Runs the statements, and commits the transaction, unless the time is after `untilMs`: {@link PROCEDURES}. */
export function writeAndCommitStatement(writes: readonly string[], untilMs: number): string {
  const texts = WRITES.map((_, nth) => {
    const write = writes[nth];
    // They have no backslash, so the text is the same in every SQL mode.
    return write === undefined ? 'NULL' : `'${write.replaceAll("'", "''")}'`;
  });
  return `CALL latchhook_write_and_commit_until(${texts.join()}, ${Math.trunc(untilMs)})`;
}

/** Puts a row, and commits the transaction, unless the time is after `untilMs`: {@link PROCEDURES}. */
export function putAndCommitStatement(
  partition: string,
  stripe: number,
  row: SqlRow,
  untilMs: number,
): string {
  const values = valuesOf(partition, stripe, row);
  return `CALL latchhook_put_and_commit_until(${values}, ${Math.trunc(untilMs)})`;
}

/** Deletes some of the expired rows that the lock of this transaction covers. */
export function forgetStatement(stripe: number, nowMs: number): string {
  return `DELETE r, p FROM (
    SELECT partition_name, row_key FROM latchhook_rows
    WHERE stripe = ${stripe} AND expires_at_ms <= ${Math.trunc(nowMs)} ORDER BY expires_at_ms LIMIT 100
  ) expired
  JOIN latchhook_rows r ON r.partition_name = expired.partition_name AND r.row_key = expired.row_key
  LEFT JOIN latchhook_index_entries p ON ${SAME_ROW}`;
}

export function deleteStatement(partition: string, keys: readonly string[]): string {
  return `DELETE r, p FROM latchhook_rows r LEFT JOIN latchhook_index_entries p ON ${SAME_ROW}
  WHERE ${rowsWith(partition, keys)}`;
}

export function putIndexEntriesStatement(
  partition: string,
  entries: readonly SqlIndexEntry[],
): string {
  const values = entries.map(
    ({ key, index, sortKey }) => `(${[partition, key, index, sortKey].map(quoted).join()})`,
  );
  return `INSERT INTO latchhook_index_entries (partition_name, row_key, index_name, sort_key) VALUES ${values.join()}
  ON DUPLICATE KEY UPDATE sort_key = VALUES(sort_key)`;
}

export function deleteIndexEntriesStatement(
  partition: string,
  entries: readonly SqlIndexEntry[],
): string {
  const values = entries.map(({ key, index }) => `(${quoted(key)}, ${quoted(index)})`);
  return `DELETE FROM latchhook_index_entries
  WHERE partition_name = ${quoted(partition)} AND (row_key, index_name) IN (${values.join()})`;
}

function rowsWith(partition: string, keys: readonly string[]): string {
  return `r.partition_name = ${quoted(partition)} AND r.row_key IN (${keys.map(quoted).join()})`;
}

/** The condition, the order and the limit of a range. */
function within(index: string, { from, before, limit }: SqlRange): string {
  const condition = `p.index_name = ${quoted(index)} AND p.sort_key >= ${quoted(from)} AND p.sort_key < ${quoted(before)}`;
  const limited = Number.isFinite(limit) ? `LIMIT ${Math.trunc(limit)}` : NO_LIMIT;
  return `${condition} ORDER BY p.sort_key ${limited}`;
}

/** The values of a row, in the order of the columns. */
function valuesOf(
  partition: string,
  stripe: number,
  { key, value, indexes, expiresAtMs }: SqlRow,
): string {
  const expiry = expiresAtMs === null ? 'NULL' : Math.trunc(expiresAtMs);
  const names = `${quoted(partition)}, ${quoted(key)}, ${stripe}`;
  return `${names}, ${hexadecimal(value)}, ${hexadecimal(indexes)}, ${expiry}`;
}

/** An ASCII text as a literal that no SQL mode and no character set of the session changes. */
function hexadecimal(text: string): string {
  return `X'${Buffer.from(text, 'latin1').toString('hex')}'`;
}

/** A name as a literal. Its characters are checked, so that it is safe in every SQL mode. */
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

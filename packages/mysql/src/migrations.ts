/**
 * The number of lock rows, and so of parallel transactions: each locks the row that the hash of its partition selects.
 */
export const STRIPES = 1024;

/** One change of the tables. A released migration is never edited; a later change is another migration. */
export interface Migration {
  /** Counts from 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** Each statement can be run again, as MySQL commits each change of a table separately. */
  readonly statements: readonly string[];
}

const TABLE = 'ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin';

/**
 * Creates the tables of rows, of the entries of their indexes, and of the lock rows, which are never deleted.
 *
 * An index of a storage engine is no index of SQL: a row that is in the index `index_name` has an entry with its sort
 * key. `indexes_json` has all sort keys of a row once more, by index, so that a transaction that has read the row knows
 * which of them its write changes.
 */
const rowsMigration: Migration = {
  number: 1,
  name: 'rows',
  statements: [
    `CREATE TABLE IF NOT EXISTS latchhook_rows (
  partition_name VARCHAR(128) NOT NULL,
  row_key VARCHAR(128) NOT NULL,
  value_json LONGTEXT NOT NULL,
  indexes_json TEXT NOT NULL,
  expires_at_ms BIGINT,
  stripe SMALLINT UNSIGNED NOT NULL,
  PRIMARY KEY (partition_name, row_key),
  INDEX latchhook_rows_to_forget (stripe, expires_at_ms)
) ${TABLE}`,
    `CREATE TABLE IF NOT EXISTS latchhook_index_entries (
  partition_name VARCHAR(128) NOT NULL,
  row_key VARCHAR(128) NOT NULL,
  index_name VARCHAR(128) NOT NULL,
  sort_key VARCHAR(128) NOT NULL,
  PRIMARY KEY (partition_name, row_key, index_name),
  INDEX latchhook_index_entries_within (partition_name, index_name, sort_key),
  INDEX latchhook_index_entries_over_all (index_name, sort_key)
) ${TABLE}`,
    `CREATE TABLE IF NOT EXISTS latchhook_locks (stripe SMALLINT UNSIGNED PRIMARY KEY) ${TABLE}`,
    `INSERT IGNORE INTO latchhook_locks VALUES ${Array.from({ length: STRIPES }, (_, stripe) => `(${stripe})`).join()}`,
  ],
};

/** All migrations, in the order in which they are applied. */
export const ALL_MIGRATIONS: readonly Migration[] = [rowsMigration];

/** One change of the tables. A released migration is never edited; a later change is another migration. */
export interface Migration {
  /** Counts from 1, without gaps. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * Creates the tables of rows and of the entries of their indexes.
 *
 * An index of a storage engine is no index of SQL: a row that is in the index `index_name` has an entry with its sort
 * key. `indexes` has all sort keys of a row once more, as JSON by index, so that a transaction that has read the row
 * knows which of them its write changes.
 *
 * The table of rows has a rowid, so that its SQL index by key stays small although bodies of messages may be long. The
 * table of entries has little besides its primary key, and needs no rowid.
 */
const rowsMigration: Migration = {
  number: 1,
  name: 'rows',
  sql: `
CREATE TABLE latchhook_rows (
  partition TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  indexes TEXT NOT NULL,
  expires_at_ms INTEGER,
  PRIMARY KEY (partition, key)
) STRICT;
CREATE INDEX latchhook_rows_to_forget ON latchhook_rows (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

CREATE TABLE latchhook_index_entries (
  partition TEXT NOT NULL,
  key TEXT NOT NULL,
  index_name TEXT NOT NULL,
  sort_key TEXT NOT NULL,
  PRIMARY KEY (partition, key, index_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX latchhook_index_entries_within ON latchhook_index_entries (partition, index_name, sort_key);
CREATE INDEX latchhook_index_entries_over_all ON latchhook_index_entries (index_name, sort_key);

CREATE TRIGGER latchhook_rows_deleted AFTER DELETE ON latchhook_rows BEGIN
  DELETE FROM latchhook_index_entries WHERE partition = old.partition AND key = old.key;
END;
`,
};

/** All migrations, in the order in which they are applied. */
export const ALL_MIGRATIONS: readonly Migration[] = [rowsMigration];

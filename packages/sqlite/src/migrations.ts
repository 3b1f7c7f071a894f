/** One change of the tables. A released migration is never edited; a later change is another migration. */
export interface Migration {
  /** Counts from 1, without gaps. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * Creates the tables of rows and of their places.
 *
 * An index of a storage engine is no index of SQL: a row that is in the index `index_name` has a row in the table of
 * places, with its sort key `place`. `indexes` has all places of a row once more, as JSON by index, so that a
 * transaction that has read the row knows which of them its write changes.
 *
 * The table of rows has a rowid, so that its SQL index by key stays small although bodies of messages may be long. The
 * table of places has little besides its primary key, and needs no rowid.
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

CREATE TABLE latchhook_places (
  partition TEXT NOT NULL,
  key TEXT NOT NULL,
  index_name TEXT NOT NULL,
  place TEXT NOT NULL,
  PRIMARY KEY (partition, key, index_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX latchhook_places_within ON latchhook_places (partition, index_name, place);
CREATE INDEX latchhook_places_over_all ON latchhook_places (index_name, place);

CREATE TRIGGER latchhook_rows_deleted AFTER DELETE ON latchhook_rows BEGIN
  DELETE FROM latchhook_places WHERE partition = old.partition AND key = old.key;
END;
`,
};

/** All migrations, in the order in which they are applied. */
export const ALL_MIGRATIONS: readonly Migration[] = [rowsMigration];

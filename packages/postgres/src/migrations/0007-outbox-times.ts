import type { Migration } from './migration.ts';

/**
 * When each message of the outbox was written, so that an outbox that nobody empties differs from a busy one.
 * What waits already counts from the migration: nothing says how long it had waited.
 *
 * The column keeps its default: a call that began before the migration, and waited for it, inserts without a time.
 * Being the same for all rows that are there, the default rewrites none of them.
 */
export const outboxTimesMigration: Migration = {
  number: 7,
  name: 'outbox times',
  sql: `
ALTER TABLE outbox ADD COLUMN written_at_ms bigint NOT NULL
  DEFAULT floor(extract(epoch FROM now()) * 1000);
`,
};

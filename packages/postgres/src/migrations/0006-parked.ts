import type { Migration } from './migration.ts';

/**
 * Calls columns by the names that all storages have for them. Functions are redefined after each migration, but
 * PostgreSQL keeps the name that a parameter once had: what has another name now is dropped first.
 */
export const parkedMigration: Migration = {
  number: 6,
  name: 'parked',
  sql: `
ALTER TABLE deliveries RENAME COLUMN tries TO tries_before;
ALTER TABLE deliveries RENAME COLUMN is_crowded TO is_parked;
ALTER INDEX deliveries_crowded RENAME TO deliveries_parked;
DROP FUNCTION IF EXISTS start_delivery;
DROP FUNCTION IF EXISTS take_back_start;
DROP FUNCTION IF EXISTS told_ms;
`,
};

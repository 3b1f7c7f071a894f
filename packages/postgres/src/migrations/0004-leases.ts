import type { Migration } from './migration.ts';

/**
 * When the lease of an attempt ends. `due_at_ms` does not say: once the lease is over, `list_overdue` puts that off.
 * It shows how many attempts are in flight, and how long a lost one took.
 *
 * It has no index: attempts in flight are found by their webhook, which has few, and building an index would lock the
 * table for as long as it takes to read all of it.
 */
export const leasesMigration: Migration = {
  number: 4,
  name: 'leases',
  sql: `
ALTER TABLE deliveries ADD COLUMN lease_ends_at_ms bigint;
UPDATE deliveries SET lease_ends_at_ms = due_at_ms WHERE state = 'sending';
`,
};

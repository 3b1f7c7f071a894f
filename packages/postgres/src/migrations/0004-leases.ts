import type { Migration } from './migration.ts';

/**
 * When the lease of an attempt under way ends, apart from `due_at_ms`, which `list_overdue` puts off where nobody came for
 * one that is over. It is what tells how many are under way, and how long a lost attempt took.
 *
 * No index has it: those under way are found by their webhook, which are a few, and to make one anew would keep
 * everybody from the table for as long as it takes to read all of it.
 */
export const leasesMigration: Migration = {
  number: 4,
  name: 'leases',
  sql: `
ALTER TABLE deliveries ADD COLUMN lease_ends_at_ms bigint;
UPDATE deliveries SET lease_ends_at_ms = due_at_ms WHERE state = 'sending';
`,
};

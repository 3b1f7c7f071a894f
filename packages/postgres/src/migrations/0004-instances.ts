import type { Migration } from './migration.ts';

/** The processes that use the schema, and how each is configured, so that one that differs is found at its start. */
export const instancesMigration: Migration = {
  number: 4,
  name: 'instances',
  sql: `
CREATE TABLE instances (
  instance_id text COLLATE "C" PRIMARY KEY,
  configuration text NOT NULL,
  ends_at_ms bigint NOT NULL
);
`,
};

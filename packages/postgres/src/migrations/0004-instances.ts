import type { Migration } from './migration.ts';

/**
 * The processes that use the schema, with their configurations. So a process with a different configuration is detected
 * when it starts.
 */
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

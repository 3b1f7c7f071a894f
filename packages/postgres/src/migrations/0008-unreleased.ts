import type { Migration } from './migration.ts';

/** Finds the few enabled webhooks of which deliveries are held, however many webhooks there are. */
export const unreleasedMigration: Migration = {
  number: 8,
  name: 'unreleased',
  sql: `
CREATE INDEX webhooks_unreleased ON webhooks (sequence) WHERE disabled_at_ms IS NULL AND held > 0;
`,
};

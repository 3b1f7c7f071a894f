import type { Migration } from './migration.ts';

/**
 * Has webhooks pause. Finds the few enabled ones of which deliveries are held, however many webhooks there are. A
 * function with another parameter would be another function: the one before is dropped.
 */
export const pausesMigration: Migration = {
  number: 8,
  name: 'pauses',
  sql: `
ALTER TABLE webhooks ADD COLUMN paused_until_ms bigint;
DROP FUNCTION IF EXISTS finish_delivery;
DROP FUNCTION IF EXISTS note_failure;
CREATE INDEX webhooks_unreleased ON webhooks (sequence) WHERE disabled_at_ms IS NULL AND held > 0;
`,
};

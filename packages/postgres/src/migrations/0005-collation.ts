import type { Migration } from './migration.ts';

/**
 * Orders the text in indexes by its bytes, whatever the locale of the database. Other orders are those of the operating
 * system or of ICU: after an upgrade of these an index may be in the wrong order, and then a session is not found, or a
 * key is taken twice. Bytes are also what costs least to compare.
 *
 * It rebuilds these indexes, and locks their tables meanwhile.
 */
export const collationMigration: Migration = {
  number: 5,
  name: 'collation',
  sql: `
ALTER TABLE users
  ALTER user_id TYPE text COLLATE "C";
ALTER TABLE sessions
  ALTER user_id TYPE text COLLATE "C",
  ALTER session_id TYPE text COLLATE "C";
ALTER TABLE challenges
  ALTER user_id TYPE text COLLATE "C",
  ALTER challenge_id TYPE text COLLATE "C";
ALTER TABLE personal_access_tokens
  ALTER token_hash TYPE text COLLATE "C",
  ALTER user_id TYPE text COLLATE "C";
ALTER TABLE factors
  ALTER user_id TYPE text COLLATE "C";
ALTER TABLE recovery_codes
  ALTER user_id TYPE text COLLATE "C",
  ALTER code_hash TYPE text COLLATE "C";
ALTER TABLE pending_enrolments
  ALTER user_id TYPE text COLLATE "C";
ALTER TABLE counters
  ALTER counter_key TYPE text COLLATE "C";
ALTER TABLE webhooks
  ALTER webhook_id TYPE text COLLATE "C",
  ALTER event TYPE text COLLATE "C";
ALTER TABLE messages
  ALTER message_id TYPE text COLLATE "C";
ALTER TABLE idempotency_keys
  ALTER idempotency_key TYPE text COLLATE "C";
ALTER TABLE deliveries
  ALTER delivery_id TYPE text COLLATE "C",
  ALTER state TYPE text COLLATE "C";
`,
};

import type { Migration } from './migration.ts';

/**
 * Users, their sessions and pending challenges.
 *
 * Times are milliseconds. Text in an index is ordered by its bytes (collation "C"), whatever the locale of the
 * database. Other collations depend on the operating system or on ICU: after an upgrade of either, an index may be in
 * the wrong order, so that a session is not found, or a unique key is inserted twice. Comparing bytes is also fastest.
 *
 * No column that a rotation writes is in an index, so that PostgreSQL can update the row within its page (HOT).
 * `fillfactor` leaves room for such updates.
 */
export const sessionsMigration: Migration = {
  number: 1,
  name: 'sessions',
  sql: `
CREATE TABLE users (
  user_id text COLLATE "C" PRIMARY KEY,
  -- When the user's sessions were last ended all together.
  revoked_all_at_ms bigint,
  -- Attempts at a second factor since the last valid code, and the lock that follows from them.
  failures bigint NOT NULL DEFAULT 0,
  locked_until_ms bigint NOT NULL DEFAULT 0,
  is_suspended boolean NOT NULL DEFAULT false,
  -- The time step of the last valid TOTP code. Codes of this and earlier steps are used.
  last_totp_step bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 80);

CREATE TABLE sessions (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  -- JSON.
  session_grant text NOT NULL,
  created_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  rotated_at_ms bigint NOT NULL,
  idle_ms bigint NOT NULL,
  generation bigint NOT NULL,
  -- How often the current generation was returned again within the grace.
  replays bigint NOT NULL DEFAULT 0,
  is_ended boolean NOT NULL DEFAULT false,
  -- When the row may be deleted.
  forget_at_ms bigint NOT NULL,
  PRIMARY KEY (user_id, session_id)
) WITH (fillfactor = 80);
CREATE INDEX sessions_to_forget ON sessions (forget_at_ms);

CREATE TABLE challenges (
  user_id text COLLATE "C" NOT NULL,
  challenge_id text COLLATE "C" NOT NULL,
  -- JSON.
  context text NOT NULL,
  expires_at_ms bigint NOT NULL,
  attempts bigint NOT NULL DEFAULT 0,
  -- The session that was started after a valid code.
  used_by text,
  is_ended boolean NOT NULL DEFAULT false,
  PRIMARY KEY (user_id, challenge_id)
) WITH (fillfactor = 80);
CREATE INDEX challenges_to_forget ON challenges (expires_at_ms);
`,
};

import type { Migration } from './migration.ts';

/**
 * Personal access tokens, second factors and the counters of failed logins. Times are milliseconds.
 *
 * Each session has its own pending enrolment, so that no session can drop or confirm the enrolment of another.
 */
export const credentialsMigration: Migration = {
  number: 2,
  name: 'credentials',
  sql: `
CREATE TABLE personal_access_tokens (
  token_hash text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  token_id text NOT NULL,
  -- JSON.
  token_grant text NOT NULL,
  -- The sort key within the user.
  sequence bigint NOT NULL,
  created_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  last_used_at_ms bigint,
  is_revoked boolean NOT NULL DEFAULT false,
  -- When the row may be deleted.
  forget_at_ms bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX personal_access_tokens_of_user ON personal_access_tokens (user_id, sequence)
  WHERE NOT is_revoked;
CREATE INDEX personal_access_tokens_to_forget ON personal_access_tokens (forget_at_ms);

CREATE TABLE factors (
  user_id text COLLATE "C" PRIMARY KEY,
  encrypted_secret text NOT NULL,
  confirmed_at_ms bigint NOT NULL,
  enrolment_id text NOT NULL,
  -- Digests of lists of recovery codes: of those given at the confirmation, and of those given last.
  confirmed_with text NOT NULL,
  codes_given text NOT NULL
);

CREATE TABLE recovery_codes (
  user_id text COLLATE "C" NOT NULL REFERENCES factors ON DELETE CASCADE,
  code_hash text COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE pending_enrolments (
  user_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  enrolment_id text NOT NULL,
  encrypted_secret text NOT NULL,
  expires_at_ms bigint NOT NULL,
  PRIMARY KEY (user_id, session_id)
);
CREATE INDEX pending_enrolments_to_forget ON pending_enrolments (expires_at_ms);

CREATE TABLE counters (
  counter_key text COLLATE "C" PRIMARY KEY,
  points bigint NOT NULL,
  -- The end of the window.
  ends_at_ms bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX counters_to_forget ON counters (ends_at_ms);
`,
};

-- Users as an app might have them, with other names and more columns. Required: an index for each look-up, and that
-- each write can be one statement.

CREATE TABLE users (
  id text PRIMARY KEY,
  email text NOT NULL,
  -- COLLATE "C" folds only A to Z, whatever the locale of the database. An app can do the same in one line, so that a
  -- look-up is a plain comparison in every library.
  login_name text NOT NULL GENERATED ALWAYS AS (lower(email COLLATE "C")) STORED UNIQUE,
  password_hash text,
  password_changed_at timestamptz,
  disabled boolean NOT NULL DEFAULT false,
  scopes text[] NOT NULL DEFAULT '{user}' CHECK (scopes <@ '{user,admin,internal,auth}'),
  totp_secret text
);

-- The index of the primary key also finds the accounts of a user, in order.
CREATE TABLE memberships (
  user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
  account_id integer NOT NULL,
  PRIMARY KEY (user_id, account_id)
);

-- A row is an unused code. The use of a code deletes its row.
CREATE TABLE recovery_codes (
  user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
  code_hash text NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);

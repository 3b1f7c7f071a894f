-- Users as an app might have them. Yours have other names and more columns: what matters is that an index serves
-- each look-up, and that each write can be one statement.

CREATE TABLE users (
  id text PRIMARY KEY,
  email text NOT NULL,
  -- COLLATE "C" folds A to Z and nothing else, whatever the locale of the database. So an app can do the same in a
  -- line, and a look-up is a plain comparison in every library.
  login_name text NOT NULL GENERATED ALWAYS AS (lower(email COLLATE "C")) STORED UNIQUE,
  password_hash text,
  password_changed_at timestamptz,
  disabled boolean NOT NULL DEFAULT false,
  scopes text[] NOT NULL DEFAULT '{user}' CHECK (scopes <@ '{user,admin,internal,auth}'),
  totp_secret text
);

-- The primary key serves "the accounts of this user" too, in their order.
CREATE TABLE memberships (
  user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
  account_id integer NOT NULL,
  PRIMARY KEY (user_id, account_id)
);

-- A row is an unused code: using it deletes the row.
CREATE TABLE recovery_codes (
  user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
  code_hash text NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);

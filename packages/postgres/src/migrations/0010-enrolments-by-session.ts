import type { Migration } from './migration.ts';

/**
 * Keeps a pending enrolment for each session, so that none can drop or confirm what another has begun. What is pending
 * is dropped: it would live for ten minutes, and nothing says which session began it. A function with another parameter
 * would be another function: the ones before are dropped.
 */
export const enrolmentsBySessionMigration: Migration = {
  number: 10,
  name: 'enrolments by session',
  sql: `
DELETE FROM pending_enrolments;
ALTER TABLE pending_enrolments
  ADD COLUMN session_id text COLLATE "C" NOT NULL,
  DROP CONSTRAINT pending_enrolments_pkey,
  ADD PRIMARY KEY (user_id, session_id);
DROP FUNCTION IF EXISTS begin_enrolment;
DROP FUNCTION IF EXISTS find_pending_enrolment;
DROP FUNCTION IF EXISTS confirm_enrolment;
`,
};

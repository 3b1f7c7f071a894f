import type { Migration } from './migration.ts';

/**
 * Webhooks as queues, of which workers claim attempts.
 *
 * A delivery is inserted by its message and updated as each of its attempts ends: none of the columns that this writes
 * is in an index, so that PostgreSQL updates the row within its page (HOT). What changes at every claim is apart, in
 * `queues` and `queue_leases`. Nothing is counted: a message's number is its time, and all of a queue beyond
 * `last_taken` wait for their first try.
 *
 * `queue_arrivals` has messages that no claim has seen yet: publishing appends there, and so neither locks nor updates
 * any queue.
 *
 * Tables whose rows are short-lived are vacuumed by how many rows changed, not by their size.
 */
export const queuesMigration: Migration = {
  number: 11,
  name: 'queues',
  sql: `
CREATE TABLE queues (
  queue bigint PRIMARY KEY,
  account_id bigint NOT NULL,
  last_taken bigint NOT NULL DEFAULT 0,
  awaits_arrival boolean NOT NULL DEFAULT true,
  was_retry_last boolean NOT NULL DEFAULT false,
  due_at_ms bigint,
  next_retry_at_ms bigint,
  leases_end_at_ms bigint,
  backoff_until_ms bigint NOT NULL DEFAULT 0,
  failing_since_ms bigint,
  capped_by text CHECK (capped_by IN ('webhook', 'account')),
  starts_at_ms bigint[] NOT NULL DEFAULT '{}',
  starts bigint[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX queues_due ON queues (due_at_ms) WHERE due_at_ms IS NOT NULL;
CREATE INDEX queues_leased ON queues (leases_end_at_ms) WHERE leases_end_at_ms IS NOT NULL;
CREATE INDEX queues_watched ON queues (account_id) WHERE capped_by IS NOT NULL OR failing_since_ms IS NOT NULL;
INSERT INTO queues (queue, account_id) SELECT sequence, account_id FROM webhooks;

CREATE TABLE queue_messages (
  message bigint PRIMARY KEY,
  account_id bigint NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  body text NOT NULL,
  queues bigint[] NOT NULL,
  created_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  UNIQUE (account_id, message_id)
);

CREATE TABLE queue_deliveries (
  queue bigint NOT NULL,
  message bigint NOT NULL,
  retry_at_ms bigint,
  attempt integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  lost integer NOT NULL DEFAULT 0,
  not_counted integer NOT NULL DEFAULT 0,
  state text COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
  reason text COLLATE "C" CHECK (reason IN ('exhausted', 'gone', 'expired', 'poison')),
  attempts json[],
  PRIMARY KEY (queue, message)
) WITH (fillfactor = 40);

CREATE TABLE queue_leases (
  account_id bigint NOT NULL,
  queue bigint NOT NULL,
  message bigint NOT NULL,
  attempt integer NOT NULL,
  claimed_at_ms bigint NOT NULL,
  lease_ms bigint NOT NULL,
  PRIMARY KEY (account_id, queue, message)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE queue_retries (
  queue bigint NOT NULL,
  due_at_ms bigint NOT NULL,
  message bigint NOT NULL,
  PRIMARY KEY (queue, due_at_ms, message)
);

CREATE TABLE queue_failed (
  queue bigint NOT NULL,
  created_at_ms bigint NOT NULL,
  message bigint NOT NULL,
  PRIMARY KEY (queue, created_at_ms, message)
);

CREATE TABLE queue_arrivals (
  arrival bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  messages bigint[] NOT NULL,
  written_at_ms bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE queue_outbox (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  body text NOT NULL,
  webhook_id text COLLATE "C",
  idempotency_key text,
  idempotency_ms bigint NOT NULL,
  retention_ms bigint NOT NULL,
  max_queued bigint NOT NULL,
  written_at_ms bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
`,
};

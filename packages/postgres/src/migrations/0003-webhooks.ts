import type { Migration } from './migration.ts';

/**
 * Webhooks with their queues, from which workers claim attempts; messages and their deliveries; and the outbox, with
 * messages that were published within transactions of the host and have no deliveries yet.
 *
 * - Publishing inserts a message, its deliveries, and a row in `arrivals` that leads the next claim to their queues. It
 *   neither locks nor updates a queue. A message of the outbox is published by the next claim.
 * - A claim visits the queues that are due or have arrivals. It takes deliveries after `last_taken` and those whose
 *   `retry_at_ms` has come, inserts a lease for each, and sets `due_at_ms` of the queue.
 * - Completing an attempt deletes its lease and updates its delivery. It updates the queue only after failures, or if
 *   the queue is capped. A claim also ends leases that have expired.
 *
 * If the first attempt of a delivery succeeds, no column of an index changes, so that PostgreSQL updates the row within
 * its page (HOT): failed deliveries are found by their `reason`, not by `state`. The state that changes at every claim
 * is in `queues` and `leases`. There are no counters: the number of a message is derived from its time.
 *
 * Deliveries have no foreign key to their webhook: removing a webhook deletes its row at once, but its deliveries only
 * together with their messages. Tables with short-lived rows are vacuumed by the number of changed rows, not by their
 * size.
 */
export const webhooksMigration: Migration = {
  number: 3,
  name: 'webhooks',
  sql: `
CREATE TABLE webhooks (
  queue bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  -- The sort key within the account.
  sequence bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  url text NOT NULL,
  rate_limit bigint NOT NULL,
  rate_limit_period text NOT NULL CHECK (rate_limit_period IN ('second', 'minute')),
  secrets json NOT NULL,
  created_at_ms bigint NOT NULL,
  updated_at_ms bigint NOT NULL,
  disabled_at_ms bigint,
  disabled_reason text CHECK (disabled_reason IN ('gone', 'failing')),
  UNIQUE (account_id, webhook_id)
);
CREATE INDEX webhooks_of_account ON webhooks (account_id, sequence);
CREATE INDEX webhooks_for_event ON webhooks (account_id, event);

CREATE TABLE idempotency_keys (
  account_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  message_id text NOT NULL,
  deliveries bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotency_keys_to_forget ON idempotency_keys (expires_at_ms);

CREATE TABLE queues (
  queue bigint PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  -- Messages up to this one were claimed or have expired.
  last_taken bigint NOT NULL DEFAULT 0,
  -- Whether the last delivery taken was a due retry: these and fresh deliveries alternate.
  was_retry_last boolean NOT NULL DEFAULT false,
  -- When a claim can start an attempt; NULL: the webhook is disabled, or nothing waits but arrivals.
  due_at_ms bigint,
  backoff_until_ms bigint NOT NULL DEFAULT 0,
  failing_since_ms bigint,
  -- The cap of attempts in flight for which the queue waits, if any.
  capped_by text CHECK (capped_by IN ('webhook', 'account')),
  capped_since_ms bigint,
  -- The rate window: until starts_at_ms[n], starts[n] attempts may begin.
  starts_at_ms bigint[] NOT NULL DEFAULT '{}',
  starts bigint[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX queues_due ON queues (due_at_ms) WHERE due_at_ms IS NOT NULL;
CREATE INDEX queues_watched ON queues (account_id) WHERE capped_by IS NOT NULL OR failing_since_ms IS NOT NULL;

CREATE TABLE messages (
  message bigint PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  body text NOT NULL,
  -- Those to which it is delivered.
  queues bigint[] NOT NULL,
  created_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  UNIQUE (account_id, message_id)
);

CREATE TABLE deliveries (
  queue bigint NOT NULL,
  message bigint NOT NULL,
  created_at_ms bigint NOT NULL,
  -- NULL: it was never claimed, is in flight, or has ended.
  retry_at_ms bigint,
  -- The number of the last attempt that has ended.
  attempt integer NOT NULL DEFAULT 0,
  -- How many attempts have failed and count.
  failures integer NOT NULL DEFAULT 0,
  -- How many have stalled in a row.
  stalled integer NOT NULL DEFAULT 0,
  -- How many were not counted since the last one that counts.
  not_counted integer NOT NULL DEFAULT 0,
  state text COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
  reason text COLLATE "C" CHECK (reason IN ('exhausted', 'gone', 'expired', 'poison')),
  -- The last attempts, each an array of number, start time, status, duration and error.
  attempts json[],
  PRIMARY KEY (queue, message)
) WITH (fillfactor = 40);
CREATE INDEX deliveries_retried ON deliveries (queue, retry_at_ms, message) WHERE retry_at_ms IS NOT NULL;
CREATE INDEX deliveries_failed ON deliveries (queue, created_at_ms, message) WHERE reason IS NOT NULL;

CREATE TABLE leases (
  account_id text COLLATE "C" NOT NULL,
  queue bigint NOT NULL,
  message bigint NOT NULL,
  attempt integer NOT NULL,
  claimed_at_ms bigint NOT NULL,
  ends_at_ms bigint NOT NULL,
  PRIMARY KEY (account_id, queue, message)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX leases_ending ON leases (ends_at_ms);

-- An argument of complete_attempts. The line is appended to the attempts of the delivery.
CREATE TYPE attempt_end AS (
  account_id text,
  webhook_id text,
  message bigint,
  attempt integer,
  claimed_at_ms bigint,
  created_at_ms bigint,
  kind text,
  delay_ms bigint,
  reason text,
  backoff_ms bigint,
  line json,
  url text
);

-- Messages that have been published since the last claim of their account.
CREATE TABLE arrivals (
  arrival bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  messages bigint[] NOT NULL,
  written_at_ms bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The time of a recent claim: an earlier time afterwards means that the clock was set back.
CREATE TABLE clock (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  recorded_at_ms bigint NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE outbox (
  entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
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

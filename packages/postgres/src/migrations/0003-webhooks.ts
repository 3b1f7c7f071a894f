import type { Migration } from './migration.ts';

/**
 * Webhooks, messages and their deliveries, and the outbox: messages that were published within transactions of the host
 * and have no deliveries yet.
 *
 * Every transition locks the row of its webhook first, and finds there the counts that it needs: no transition counts a
 * backlog. None of those columns is in an index, so that PostgreSQL can update the row within its page (HOT);
 * `fillfactor` leaves room for that.
 *
 * What receivers answered has its own column: it is long, so PostgreSQL stores it outside the row, unread by lists.
 *
 * Deliveries have no foreign key to their webhook: its row is removed at once, its deliveries little by little.
 */
export const webhooksMigration: Migration = {
  number: 3,
  name: 'webhooks',
  sql: `
CREATE TABLE webhooks (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  webhook_id text NOT NULL,
  place bigint NOT NULL,
  event text NOT NULL,
  url text NOT NULL,
  rate_limit bigint NOT NULL,
  rate_limit_period text NOT NULL CHECK (rate_limit_period IN ('second', 'minute')),
  secrets json NOT NULL,
  created_at_ms bigint NOT NULL,
  updated_at_ms bigint NOT NULL,
  disabled_at_ms bigint,
  disabled_reason text CHECK (disabled_reason IN ('gone', 'failing')),
  failing_since_ms bigint,
  rate_margin_ms bigint NOT NULL DEFAULT 0,
  last_delivery bigint NOT NULL DEFAULT 0,
  queued bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  queued_from bigint NOT NULL DEFAULT 1,
  first_start bigint NOT NULL DEFAULT 1,
  last_start bigint NOT NULL DEFAULT 0,
  retries bigint NOT NULL DEFAULT 0,
  retries_from bigint NOT NULL DEFAULT 1,
  last_retry_place bigint NOT NULL DEFAULT 0,
  was_retry_last boolean NOT NULL DEFAULT false,
  UNIQUE (account_id, webhook_id)
) WITH (fillfactor = 50);
CREATE INDEX webhooks_of_account ON webhooks (account_id, place);
CREATE INDEX webhooks_for_event ON webhooks (account_id, event);

CREATE TABLE removed_webhooks (
  webhook bigint PRIMARY KEY
);

CREATE TABLE webhook_starts (
  webhook bigint NOT NULL,
  nth bigint NOT NULL,
  at_ms bigint NOT NULL,
  PRIMARY KEY (webhook, nth)
);
CREATE INDEX webhook_starts_in_time ON webhook_starts (webhook, at_ms, nth);

CREATE TABLE messages (
  message bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  message_id text NOT NULL,
  event text NOT NULL,
  body text NOT NULL,
  deliveries bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  UNIQUE (account_id, message_id)
);
CREATE INDEX messages_to_forget ON messages (expires_at_ms);

CREATE TABLE idempotency_keys (
  account_id bigint NOT NULL,
  idempotency_key text NOT NULL,
  message_id text NOT NULL,
  deliveries bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotency_keys_to_forget ON idempotency_keys (expires_at_ms);

CREATE TABLE deliveries (
  webhook bigint NOT NULL,
  sequence bigint NOT NULL,
  delivery_id text NOT NULL,
  message bigint NOT NULL,
  state text NOT NULL
    CHECK (state IN ('queued', 'sending', 'waiting', 'held', 'delivered', 'dead')),
  dead_reason text CHECK (dead_reason IN ('exhausted', 'gone', 'expired', 'poison')),
  run bigint NOT NULL DEFAULT 1,
  attempt bigint NOT NULL DEFAULT 0,
  tries bigint NOT NULL DEFAULT 0,
  lost bigint NOT NULL DEFAULT 0,
  created_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  due_at_ms bigint,
  not_before_ms bigint NOT NULL DEFAULT 0,
  retry_place bigint,
  is_crowded boolean NOT NULL DEFAULT false,
  started_at_ms bigint,
  attempts json[] NOT NULL DEFAULT '{}',
  responses json[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (webhook, sequence),
  UNIQUE (webhook, delivery_id)
);
CREATE INDEX deliveries_in_line ON deliveries (webhook, state, sequence)
  WHERE state IN ('queued', 'held');
CREATE INDEX deliveries_retrying ON deliveries (webhook, retry_place)
  WHERE retry_place IS NOT NULL;
CREATE INDEX deliveries_crowded ON deliveries (webhook, state, retry_place, sequence)
  WHERE is_crowded;
CREATE INDEX deliveries_dead ON deliveries (webhook, created_at_ms, sequence)
  WHERE state = 'dead';
CREATE INDEX deliveries_under_way ON deliveries (webhook, due_at_ms)
  WHERE state = 'sending';
CREATE INDEX deliveries_due ON deliveries (due_at_ms)
  WHERE state IN ('queued', 'sending', 'waiting');
CREATE INDEX deliveries_to_forget ON deliveries (expires_at_ms);

CREATE TABLE outbox (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL,
  message_id text NOT NULL,
  event text NOT NULL,
  body text NOT NULL,
  webhook_id text,
  idempotency_key text,
  idempotency_ms bigint NOT NULL,
  retention_ms bigint NOT NULL,
  max_queued bigint NOT NULL,
  rate_margin_ms bigint NOT NULL
);
`,
};

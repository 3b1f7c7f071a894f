import type { Clock, SqlTransaction } from '@latchhook/core';
import type {
  CallDeadline,
  NewMessage,
  Outbox,
  PublishWithinOutcome,
  TakenMessages,
} from '@latchhook/core/storage';
import type { Database } from './database/database.ts';
import type { CallFunction } from './function-caller.ts';
import { countOutbox } from './functions/deliveries/count-outbox.ts';
import { measureOutboxLag } from './functions/deliveries/measure-outbox-lag.ts';
import { publishWithin } from './functions/deliveries/publish-within.ts';
import { takeCommitted } from './functions/deliveries/take-committed.ts';
import { outboxChannel } from './outbox-channel.ts';
import { watchChannel } from './watch-channel.ts';

/** What {@link PostgresOutbox} needs. */
export interface PostgresOutboxParts {
  readonly database: Database;
  readonly call: CallFunction;
  readonly newDeadline: () => CallDeadline;
  readonly schema: string;
  readonly clock: Clock | undefined;
}

/** The outbox in PostgreSQL: a table whose rows become visible when the host's transaction commits. */
export class PostgresOutbox implements Outbox {
  readonly #parts: PostgresOutboxParts;

  constructor(parts: PostgresOutboxParts) {
    this.#parts = parts;
  }

  publishWithin(tx: SqlTransaction, message: NewMessage): Promise<PublishWithinOutcome> {
    const { schema, clock } = this.#parts;
    return publishWithin(tx, schema, message, clock);
  }

  takeCommitted(request: { readonly limit: number }): Promise<TakenMessages> {
    return takeCommitted(this.#parts.call, request);
  }

  countPending(request: { readonly limit: number }): Promise<number> {
    return countOutbox(this.#parts.call, request);
  }

  lagMs(): Promise<number> {
    return measureOutboxLag(this.#parts.call);
  }

  watch(onCommit: () => void): () => Promise<void> {
    const { database, newDeadline, schema } = this.#parts;
    const channel = outboxChannel(schema);
    return watchChannel((listener) => database.listen(channel, listener, newDeadline()), onCommit);
  }
}

import type { Clock } from '@latchhook/core';
import type { CallDeadline, DeliveryStore, Outbox } from '@latchhook/core/storage';
import type { Database } from './database/database.ts';
import { dueChannel } from './due-channel.ts';
import type { CallFunction } from './function-caller.ts';
import { claimAttempts } from './functions/queue/claim-attempts.ts';
import { completeAttempts } from './functions/queue/complete-attempts.ts';
import { listQueue } from './functions/queue/list-queue.ts';
import { measureQueues } from './functions/queue/measure-queues.ts';
import { publishMessages } from './functions/queue/publish-messages.ts';
import { redeliver, redeliverFailed } from './functions/queue/redeliver.ts';
import { writeOutbox } from './functions/queue/write-outbox.ts';
import { PublishBatches } from './publish-batches.ts';
import { watchChannel } from './watch-channel.ts';

export interface PostgresDeliveriesDeps {
  readonly database: Database;
  readonly call: CallFunction;
  readonly newDeadline: () => CallDeadline;
  readonly schema: string;
  readonly clock: Clock | undefined;
}

/** Deliveries in PostgreSQL: each method is one call of a function. */
export function postgresDeliveries({
  database,
  call,
  newDeadline,
  schema,
  clock,
}: PostgresDeliveriesDeps): Required<DeliveryStore> {
  const batches = new PublishBatches(
    (messages, deadline) => publishMessages(call, messages, deadline),
    newDeadline,
  );
  const channel = dueChannel(schema);
  const outbox: Outbox = {
    publishWithin: (tx, message) => writeOutbox(tx, schema, message, clock),
  };
  return {
    publish: (message) => batches.publish(message),
    claim: (request) => claimAttempts(call, request),
    complete: async (ends, limits) =>
      ends.length === 0 ? [] : completeAttempts(call, ends, limits),
    redeliver: (ref) => redeliver(call, ref),
    redeliverFailed: (ref, request) => redeliverFailed(call, ref, request),
    list: (ref, page) => listQueue(call, ref, page),
    stats: () => measureQueues(call),
    subscribe: (onDue) =>
      watchChannel((listener) => database.listen(channel, listener, newDeadline()), onDue),
    outbox,
  };
}

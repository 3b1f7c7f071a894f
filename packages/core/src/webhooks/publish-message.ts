import { type Awaitable, whenAnswered } from '../awaitable.ts';
import { ConfigError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import { createIds } from '../ports/random.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { PublishOutcome } from '../storage/delivery-outcomes.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { NewMessage } from '../storage/new-message.ts';
import type { SqlTransaction } from '../storage/outbox.ts';
import type { Backlog } from './backlog.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { envelopeBody } from './envelope.ts';
import type { PublishedEvent } from './events.ts';
import type { HandOver } from './hand-over.ts';
import { reportExpired } from './report-expired.ts';

/** An event or a ping, checked. */
export interface Message
  extends Pick<NewMessage, 'accountId' | 'event' | 'webhookId' | 'idempotencyKey'> {
  readonly id: string;
  readonly data: unknown;
}

/**
 * Stores a message with its deliveries and hands them over; `null` if the one webhook that it is for does not exist.
 * Within a transaction the message is only written: a process that sends hands it over after the commit. Throws
 * synchronously for data that cannot be sent.
 */
export type PublishMessage = (
  message: Message,
  tx?: SqlTransaction,
) => Awaitable<PublishedEvent | null>;

export interface PublishMessageDeps {
  readonly deliveries: Pick<DeliveryStore, 'publish' | 'outbox'>;
  readonly handOver: HandOver;
  readonly backlog: Pick<Backlog, 'rescheduleHead'>;
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

/** Makes the id of a message that was given none. */
export const newMessageId: () => string = createIds('msg_');

export function createPublishMessage(deps: PublishMessageDeps): PublishMessage {
  const { deliveries, handOver, backlog, policy, clock, emit } = deps;

  return (message, tx) => {
    if (tx !== undefined) return publishWithin(tx, newMessage(message, policy, clock));
    return whenAnswered(deliveries.publish(newMessage(message, policy, clock)), settle);
  };

  function settle(published: PublishOutcome): Awaitable<PublishedEvent | null> {
    if (published.outcome === 'unknown') return null;
    if (published.outcome === 'published') {
      reportExpired(published.expired, emit);
      for (const ref of published.expired) void backlog.rescheduleHead(ref);
    }
    const event = { id: published.messageId, deliveries: published.deliveries };
    return whenAnswered(handOver(published.scheduled), () => event);
  }

  async function publishWithin(
    tx: SqlTransaction,
    message: NewMessage,
  ): Promise<PublishedEvent | null> {
    const { outbox } = deliveries;
    if (outbox === undefined) {
      throw new ConfigError(
        'outbox_missing',
        'auth.events.publish was given a tx, but this storage cannot publish within one. Use postgresStorage, or leave the tx out and publish after the commit.',
      );
    }
    const written = await outbox.publishWithin(tx, message);
    if (written.outcome === 'unknown') return null;
    return { id: written.messageId, deliveries: written.deliveries };
  }
}

function newMessage(
  { id, event, accountId, webhookId, data, idempotencyKey }: Message,
  policy: DeliveryPolicy,
  clock: Clock,
): NewMessage {
  return {
    accountId,
    messageId: id,
    event,
    body: envelopeBody({ id, type: event, atMs: clock.nowMs(), accountId, data }),
    webhookId,
    idempotencyKey,
    idempotencyMs: policy.idempotencyMs,
    retentionMs: policy.retentionMs,
    maxQueued: policy.maxQueuedPerWebhook,
    rateMarginMs: policy.rateMarginMs,
  };
}

import { ConfigError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { DeliveryStore, PublishedMessage } from '../../storage/delivery-store.ts';
import type { NewMessage } from '../../storage/new-message.ts';
import type { SqlTransaction } from '../../storage/outbox.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import { PING_EVENT } from '../../webhook-events.ts';
import type { DeliveryPolicy } from '../deliveries/delivery-policy.ts';
import { envelopeBody } from './envelope.ts';
import type { PublishedEvent } from './events.ts';
import { newMessageId } from './message-id.ts';

/** A validated event. */
export interface CheckedEvent extends Pick<NewMessage, 'accountId' | 'event' | 'idempotencyKey'> {
  readonly id: string;
  readonly data: unknown;
}

/** Stores messages with their deliveries, which workers then claim. */
export interface Publisher {
  /**
   * Publishes to the account's webhooks for that event. With a transaction, the message is written within it, and sent
   * after the commit.
   *
   * @throws for data that cannot be serialised
   */
  publishEvent(event: CheckedEvent, tx?: SqlTransaction): Promise<PublishedEvent>;
  /** Publishes a ping to one webhook; returns the id of its delivery, or `null` if there is no such webhook. */
  sendPing(ref: WebhookRef): Promise<string | null>;
}

export interface PublisherDeps {
  readonly deliveries: Pick<DeliveryStore, 'publish' | 'outbox'>;
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

/** The outcome for a message whose webhooks exist. */
type Published = Exclude<PublishedMessage, { readonly outcome: 'unknown' }>;

export function createPublisher(deps: PublisherDeps): Publisher {
  const { deliveries, policy, clock, emit } = deps;

  function emitExpired({ expired }: Published): void {
    for (const delivery of expired) emit({ type: 'delivery.dead', reason: 'expired', ...delivery });
  }

  async function publishWithin(tx: SqlTransaction, message: NewMessage): Promise<PublishedEvent> {
    const { outbox } = deliveries;
    if (outbox === undefined) {
      throw new ConfigError(
        'outbox_missing',
        'auth.events.publish was given a tx, but this storage cannot publish within one. Use postgresStorage, or leave the tx out and publish after the commit.',
      );
    }
    const result = await outbox.publishWithin(tx, message);
    if (result.outcome === 'unknown') throw missedWebhook();
    return { id: result.messageId, deliveries: result.deliveries };
  }

  function newMessage(
    { id, event, accountId, data, idempotencyKey }: CheckedEvent,
    webhookId: string | null,
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
    };
  }

  return {
    async publishEvent(event, tx) {
      const message = newMessage(event, null);
      if (tx !== undefined) return publishWithin(tx, message);
      const result = await deliveries.publish(message);
      if (result.outcome === 'unknown') throw missedWebhook();
      emitExpired(result);
      return { id: result.messageId, deliveries: result.deliveries };
    },

    async sendPing({ accountId, webhookId }) {
      const ping = { id: newMessageId(), event: PING_EVENT, accountId, data: {} };
      const message = newMessage({ ...ping, idempotencyKey: null }, webhookId);
      const result = await deliveries.publish(message);
      if (result.outcome === 'unknown') return null;
      emitExpired(result);
      return result.messageId;
    },
  };
}

/** The error of a storage that breaks its contract: only a message for a single webhook may be `unknown`. */
function missedWebhook(): Error {
  return new Error('the storage returned `unknown` for a message that names no webhook');
}

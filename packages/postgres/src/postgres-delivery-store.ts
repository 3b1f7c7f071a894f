import type {
  DeliveryRecord,
  DeliveryRef,
  DeliveryStore,
  FinishOutcome,
  FinishRequest,
  ListedDelivery,
  NewMessage,
  Outbox,
  OverdueRequest,
  Page,
  PublishOutcome,
  RescheduledDelivery,
  RescheduleRequest,
  ResendOutcome,
  ScheduledBatch,
  ScheduledDelivery,
  StartOutcome,
  StartRequest,
  WebhookRef,
} from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { countPending } from './functions/deliveries/count-pending.ts';
import { findDelivery } from './functions/deliveries/find-delivery.ts';
import { finishDelivery } from './functions/deliveries/finish-delivery.ts';
import { listDeliveries } from './functions/deliveries/list-deliveries.ts';
import { listOverdue } from './functions/deliveries/list-overdue.ts';
import { measureLag } from './functions/deliveries/measure-lag.ts';
import { publishMessage } from './functions/deliveries/publish-message.ts';
import { recoverDeliveries } from './functions/deliveries/recover-deliveries.ts';
import { releaseDeliveries } from './functions/deliveries/release-deliveries.ts';
import { rescheduleDeliveries } from './functions/deliveries/reschedule-deliveries.ts';
import { resendDelivery } from './functions/deliveries/resend-delivery.ts';
import { startDelivery } from './functions/deliveries/start-delivery.ts';

/** Deliveries in PostgreSQL: each method is one call of a function. */
export class PostgresDeliveryStore implements DeliveryStore {
  readonly outbox: Outbox;
  readonly #call: CallFunction;

  constructor(call: CallFunction, outbox: Outbox) {
    this.#call = call;
    this.outbox = outbox;
  }

  publish(message: NewMessage): Promise<PublishOutcome> {
    return publishMessage(this.#call, message);
  }

  start(request: StartRequest): Promise<StartOutcome> {
    return startDelivery(this.#call, request);
  }

  finish(request: FinishRequest): Promise<FinishOutcome> {
    return finishDelivery(this.#call, request);
  }

  resend(ref: DeliveryRef): Promise<ResendOutcome> {
    return resendDelivery(this.#call, ref);
  }

  recover(
    ref: WebhookRef,
    request: { readonly sinceMs: number; readonly limit: number },
  ): Promise<ScheduledBatch | null> {
    return recoverDeliveries(this.#call, ref, request);
  }

  release(ref: WebhookRef, request: { readonly limit: number }): Promise<ScheduledBatch | null> {
    return releaseDeliveries(this.#call, ref, request);
  }

  reschedule(
    ref: WebhookRef,
    request: RescheduleRequest,
  ): Promise<readonly RescheduledDelivery[] | null> {
    return rescheduleDeliveries(this.#call, ref, request);
  }

  overdue(request: OverdueRequest): Promise<readonly ScheduledDelivery[]> {
    return listOverdue(this.#call, request);
  }

  find(ref: DeliveryRef): Promise<DeliveryRecord | null> {
    return findDelivery(this.#call, ref);
  }

  list(ref: WebhookRef, page: Page): Promise<readonly ListedDelivery[] | null> {
    return listDeliveries(this.#call, ref, page);
  }

  countPending(): Promise<number> {
    return countPending(this.#call);
  }

  lagMs(): Promise<number> {
    return measureLag(this.#call);
  }
}

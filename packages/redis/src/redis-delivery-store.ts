import type {
  CallDeadline,
  DeliveryRecord,
  DeliveryRef,
  DeliveryStore,
  FinishOutcome,
  FinishRequest,
  ListedDelivery,
  NewMessage,
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
import type { CallScript } from './script-caller.ts';
import { countPending } from './scripts/deliveries/count-pending.ts';
import { findDelivery } from './scripts/deliveries/find-delivery.ts';
import { finishDelivery } from './scripts/deliveries/finish-delivery.ts';
import { listDeliveries } from './scripts/deliveries/list-deliveries.ts';
import { listOverdue } from './scripts/deliveries/list-overdue.ts';
import { measureLag } from './scripts/deliveries/measure-lag.ts';
import { publishMessage } from './scripts/deliveries/publish-message.ts';
import { recoverDeliveries } from './scripts/deliveries/recover-deliveries.ts';
import { releaseDeliveries } from './scripts/deliveries/release-deliveries.ts';
import { rescheduleDeliveries } from './scripts/deliveries/reschedule-deliveries.ts';
import { resendDelivery } from './scripts/deliveries/resend-delivery.ts';
import { startDelivery } from './scripts/deliveries/start-delivery.ts';
import type { WebhookKeys } from './webhook-keyspace.ts';

/** Deliveries in Redis: each method is one script, which `reschedule`, `overdue` and `list` may run several times. */
export class RedisDeliveryStore implements DeliveryStore {
  readonly #call: CallScript;
  readonly #keys: WebhookKeys;
  readonly #newDeadline: () => CallDeadline;

  constructor(call: CallScript, keys: WebhookKeys, newDeadline: () => CallDeadline) {
    this.#call = call;
    this.#keys = keys;
    this.#newDeadline = newDeadline;
  }

  publish(message: NewMessage): Promise<PublishOutcome> {
    return publishMessage(this.#call, this.#keys, message);
  }

  start(request: StartRequest): Promise<StartOutcome> {
    return startDelivery(this.#call, this.#keys, request);
  }

  finish(request: FinishRequest): Promise<FinishOutcome> {
    return finishDelivery(this.#call, this.#keys, request);
  }

  resend(ref: DeliveryRef): Promise<ResendOutcome> {
    return resendDelivery(this.#call, this.#keys, ref);
  }

  recover(
    ref: WebhookRef,
    request: { readonly sinceMs: number; readonly limit: number },
  ): Promise<ScheduledBatch | null> {
    return recoverDeliveries(this.#call, this.#keys, ref, request);
  }

  release(ref: WebhookRef, request: { readonly limit: number }): Promise<ScheduledBatch | null> {
    return releaseDeliveries(this.#call, this.#keys, ref, request);
  }

  reschedule(
    ref: WebhookRef,
    request: RescheduleRequest,
  ): Promise<readonly RescheduledDelivery[] | null> {
    return rescheduleDeliveries(this.#call, this.#keys, ref, request, this.#newDeadline());
  }

  overdue(request: OverdueRequest): Promise<readonly ScheduledDelivery[]> {
    return listOverdue(this.#call, this.#keys, request, this.#newDeadline());
  }

  find(ref: DeliveryRef): Promise<DeliveryRecord | null> {
    return findDelivery(this.#call, this.#keys, ref);
  }

  list(ref: WebhookRef, page: Page): Promise<readonly ListedDelivery[] | null> {
    return listDeliveries(this.#call, this.#keys, ref, page, this.#newDeadline());
  }

  countPending(): Promise<number> {
    return countPending(this.#call, this.#keys);
  }

  lagMs(): Promise<number> {
    return measureLag(this.#call, this.#keys);
  }
}

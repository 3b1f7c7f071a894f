import type {
  DeliveryRecord,
  DeliveryStore,
  NewMessage,
  PublishOutcome,
  StartRequest,
} from '@latchhook/core/storage';
import type { Started } from '../actions/make-attempt.ts';
import type { WebhookHarness } from '../trials/webhook-trial.ts';
import { deliveriesThat } from './faulty-webhooks.ts';

/** Publishes another message than it was given. */
export function publishesThat(
  change: (message: NewMessage) => Partial<NewMessage>,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    publish: (message) => deliveries.publish({ ...message, ...change(message) }),
  }));
}

/** Keeps what it was to forget. */
export const forgetsNothing: WebhookHarness = publishesThat(() => ({
  retentionMs: Number.MAX_SAFE_INTEGER / 2,
}));

/** Publishes correctly, but answers something else. */
export function publicationsThat(
  change: (answer: PublishOutcome) => PublishOutcome,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    publish: async (message) => change(await deliveries.publish(message)),
  }));
}

/** Finds deliveries with changed records. */
export function recordsThat(change: (record: DeliveryRecord) => DeliveryRecord): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    find: async (ref) => {
      const record = await deliveries.find(ref);
      return record && change(record);
    },
  }));
}

/** Starts by another request than it was given. */
export function startsThat(
  change: (request: StartRequest) => Partial<StartRequest>,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    start: (request) => deliveries.start({ ...request, ...change(request) }),
  }));
}

/** Starts correctly, but answers something else. */
export function admissionsThat(change: (answer: Started) => Started): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    start: async (request) => {
      const answer = await deliveries.start(request);
      return answer.outcome === 'started' ? change(answer) : answer;
    },
  }));
}

/** Never wakes a next delivery. */
export const wakesNone = deliveriesThat(({ deliveries }) => ({
  start: async (request) => {
    const answer = await deliveries.start(request);
    return 'next' in answer ? { ...answer, next: null } : answer;
  },
  finish: async (request) => {
    const answer = await deliveries.finish(request);
    return 'next' in answer ? { ...answer, next: null } : answer;
  },
}));

/** Reschedules by other room than there is. */
export function roomThat(change: (maxInFlight: number) => number): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    reschedule: (ref, request) =>
      deliveries.reschedule(ref, { ...request, maxInFlight: change(request.maxInFlight) }),
  }));
}

type Overdue = DeliveryStore['overdue'];

/** Looks for overdue deliveries in another way. */
export function overdueThat(change: (overdue: Overdue) => Overdue): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({ overdue: change(deliveries.overdue) }));
}

import assert from 'node:assert/strict';
import type {
  DeliveryRef,
  DeliveryStore,
  FinishOutcome,
  FinishRequest,
  StartOutcome,
  StartRequest,
  Verdict,
  WebhookRef,
} from '@latchhook/core/storage';
import { DELIVERED, EXHAUSTED, finishing, GONE, starting } from '../samples/webhook-samples.ts';
import { queue } from './publish.ts';

/** The answer to a start that is admitted. */
export type Started = Extract<StartOutcome, { readonly outcome: 'started' }>;

/** Starts an attempt; it has to succeed. */
export async function start(
  deliveries: DeliveryStore,
  delivery: DeliveryRef & { readonly run?: number },
  change: Partial<StartRequest> = {},
): Promise<Started> {
  const answer = await deliveries.start(starting(delivery, change));
  if (answer.outcome === 'started') return answer;
  assert.fail(`expected the attempt to start, not: ${JSON.stringify(answer)}`);
}

/** Ends an attempt that is in flight. */
export async function finish(
  deliveries: DeliveryStore,
  delivery: DeliveryRef,
  { attempt }: Pick<Started, 'attempt'>,
  verdict: Verdict,
  change: Partial<FinishRequest> = {},
): Promise<Extract<FinishOutcome, { readonly outcome: 'finished' }>> {
  const answer = await deliveries.finish(finishing(delivery, attempt, verdict, change));
  if (answer.outcome === 'finished') return answer;
  assert.fail(`expected the attempt to end, not: ${answer.outcome}`);
}

/** Makes one attempt, from start to finish. */
export async function makeAttempt(
  deliveries: DeliveryStore,
  delivery: DeliveryRef & { readonly run?: number },
  verdict: Verdict,
): Promise<Extract<FinishOutcome, { readonly outcome: 'finished' }>> {
  return finish(deliveries, delivery, await start(deliveries, delivery), verdict);
}

/** Publishes a message and delivers it. */
export async function deliver(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  messageId: string,
): Promise<DeliveryRef> {
  const delivery = await queue(deliveries, webhook, messageId);
  await makeAttempt(deliveries, delivery, DELIVERED);
  return delivery;
}

/** Publishes a message and gives its delivery up. */
export async function giveUp(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  messageId: string,
): Promise<DeliveryRef> {
  const delivery = await queue(deliveries, webhook, messageId);
  await makeAttempt(deliveries, delivery, EXHAUSTED);
  return delivery;
}

/** Disables a webhook, as a receiver does by answering 410 to a message. */
export async function disable(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  messageId: string = 'the last one',
): Promise<void> {
  const delivery = await queue(deliveries, webhook, messageId);
  assert.equal((await makeAttempt(deliveries, delivery, GONE)).disabled, 'gone');
}

/** The answer to a deferred start: how long to wait, and for what. */
export function deferralOf(
  answer: StartOutcome,
): Extract<StartOutcome, { readonly outcome: 'deferred' }> {
  if (answer.outcome === 'deferred') return answer;
  assert.fail(`expected the attempt to be deferred, not ${answer.outcome}`);
}

/** Asks for an attempt for which there must be no room. */
export async function park(
  deliveries: DeliveryStore,
  delivery: DeliveryRef,
  room: Pick<StartRequest, 'maxInFlight'>,
): Promise<Extract<StartOutcome, { readonly outcome: 'deferred' }>> {
  const deferral = deferralOf(await deliveries.start(starting(delivery, room)));
  assert.equal(deferral.reason, 'in_flight');
  return deferral;
}

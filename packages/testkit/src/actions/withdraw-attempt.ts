import type {
  DeliveryRef,
  DeliveryStore,
  StartOutcome,
  StartRequest,
} from '@latchhook/core/storage';
import { POLICY, starting } from '../samples/webhook-samples.ts';
import { deferralOf, type Started } from './make-attempt.ts';

/** How long after its admission an attempt can no longer begin. */
export const LATE_MS = POLICY.rateMarginMs + 1;

/** What a request says that asks for another attempt in place of one that was too late. */
export function withdrawing({ startedAtMs }: Pick<Started, 'startedAtMs'>): Partial<StartRequest> {
  return { withdrawnStartAtMs: startedAtMs };
}

/** Asks for another attempt, and withdraws one that was too late. */
export async function withdrawAndStart(
  deliveries: DeliveryStore,
  delivery: DeliveryRef & { readonly run?: number },
  late: Started,
): Promise<StartOutcome> {
  return deliveries.start(starting(delivery, withdrawing(late)));
}

/** The same, where the answer has to be that it is too early. */
export async function withdrawAndDefer(
  deliveries: DeliveryStore,
  delivery: DeliveryRef & { readonly run?: number },
  late: Started,
): Promise<Extract<StartOutcome, { readonly outcome: 'deferred' }>> {
  return deferralOf(await withdrawAndStart(deliveries, delivery, late));
}

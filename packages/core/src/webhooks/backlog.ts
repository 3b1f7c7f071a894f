import { AuthError } from '../errors.ts';
import type { Guard } from '../ports/fault-guard.ts';
import type { SecurityEvent } from '../ports/telemetry.ts';
import type { DeliveryStore, RescheduledDelivery } from '../storage/delivery-store.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import type { DeliveryQueue } from './delivery-engine.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import type { HandOver } from './hand-over.ts';

const RESCHEDULE_LIMIT = 100;
const RELEASE_LIMIT = 500;

/** What waits for a webhook while its client changes it. Long backlogs are worked off behind the caller's back. */
export interface Backlog {
  /** Goes by a rate that was changed. Never rejects: deliveries told by the old rate ask late, or in vain. */
  pace(ref: WebhookRef): Promise<void>;
  /**
   * Sends what was held. Idempotency: what a fault or the end of the process left held is sent by the next
   * call.
   *
   * @throws {AuthError} `temporarily_unavailable`
   */
  release(ref: WebhookRef): Promise<void>;
}

/** What working off a backlog needs, and nothing besides. */
export interface BacklogServices {
  readonly deliveries: Pick<DeliveryStore, 'reschedule' | 'release'>;
  readonly queue: Pick<DeliveryQueue, 'reschedule'>;
  readonly guardEngine: Guard;
  readonly handOver: HandOver;
  readonly policy: Pick<DeliveryPolicy, 'rateMarginMs'>;
  readonly emit: (event: SecurityEvent) => void;
}

export function createBacklog(services: BacklogServices): Backlog {
  const { deliveries, queue, guardEngine, handOver, policy, emit } = services;

  /**
   * By webhook, what paces it: whatever did so before ends, as this one begins anew. A client that changes a rate over
   * and over would else have as many go over the whole backlog; now its end is reached once that is over.
   */
  const newest = new Map<string, Parts>();

  async function* pacing(ref: WebhookRef, isNewest: () => boolean): Parts {
    for (let after: number | null = null; ; ) {
      const page: readonly RescheduledDelivery[] = await deliveries.reschedule(ref, {
        rateMarginMs: policy.rateMarginMs,
        limit: RESCHEDULE_LIMIT,
        after,
      });
      const last = page.at(-1);
      if (last === undefined) return;
      await guardEngine(() => queue.reschedule(page));
      if (page.length < RESCHEDULE_LIMIT) return;
      yield;
      if (!isNewest()) return;
      after = last.cursor;
    }
  }

  async function* releasing(ref: WebhookRef): Parts {
    for (;;) {
      const { scheduled, more } = await deliveries.release(ref, { limit: RELEASE_LIMIT });
      await handOver(scheduled);
      if (!more) return;
      yield;
    }
  }

  /** Ends at the first fault: what was not reached stays as it was. */
  async function workOff(parts: Parts): Promise<void> {
    try {
      for (let isOver = false; !isOver; ) isOver = (await parts.next()).done === true;
    } catch (error) {
      tell(error);
    }
  }

  /** Of a refusal its guard has told. */
  function tell(error: unknown): void {
    if (!(error instanceof AuthError)) emit({ type: 'fault', where: 'internal', error });
  }

  return {
    async pace(ref) {
      const { webhookId } = ref;
      const parts: Parts = pacing(ref, () => newest.get(webhookId) === parts);
      const first = await parts.next().catch(tell);
      // Not before: by one that fails at once, what an older one has yet to reach would be left as it was.
      if (first?.done === false) newest.set(webhookId, parts);
      void workOff(parts).then(() => {
        if (newest.get(webhookId) === parts) newest.delete(webhookId);
      });
    },
    async release(ref) {
      const parts = releasing(ref);
      await parts.next();
      void workOff(parts);
    },
  };
}

/** A backlog that is worked off part by part, each when the next is asked for. Over where one has failed. */
type Parts = AsyncGenerator<void, void>;

import { AuthError } from '../errors.ts';
import type { Guard } from '../ports/fault-guard.ts';
import type { SecurityEvent } from '../ports/telemetry.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
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

  async function paceFrom(ref: WebhookRef, after: number | null): Promise<Next> {
    const page = await deliveries.reschedule(ref, {
      rateMarginMs: policy.rateMarginMs,
      limit: RESCHEDULE_LIMIT,
      after,
    });
    const last = page.at(-1);
    if (last === undefined) return null;
    await guardEngine(() => queue.reschedule(page));
    return page.length < RESCHEDULE_LIMIT ? null : () => paceFrom(ref, last.cursor);
  }

  async function releaseSome(ref: WebhookRef): Promise<Next> {
    const { scheduled, more } = await deliveries.release(ref, { limit: RELEASE_LIMIT });
    await handOver(scheduled);
    return more ? () => releaseSome(ref) : null;
  }

  /** Ends at the first fault: what was not reached stays as it was. */
  async function workOff(first: Next): Promise<void> {
    try {
      for (let part = first; part !== null; ) part = await part();
    } catch (error) {
      // Of a refusal its guard has told.
      if (!(error instanceof AuthError)) emit({ type: 'fault', where: 'internal', error });
    }
  }

  return {
    async pace(ref) {
      await workOff(async () => {
        void workOff(await paceFrom(ref, null));
        return null;
      });
    },
    async release(ref) {
      void workOff(await releaseSome(ref));
    },
  };
}

/** The next part of a backlog; `null` after the last. */
type Next = (() => Promise<Next>) | null;

import { AuthError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Guard } from '../ports/fault-guard.ts';
import type { SecurityEvent } from '../ports/telemetry.ts';
import type { Timers } from '../ports/timers.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { BacklogLine, type Parts } from './backlog-line.ts';
import type { DeliveryQueue } from './delivery-engine.ts';
import type { HandOver } from './hand-over.ts';
import { type RescheduleServices, reschedulePage } from './reschedule-page.ts';

const RESCHEDULE_LIMIT = 100;
const RELEASE_LIMIT = 500;

/** What waits for a webhook while its client changes it. Long backlogs are worked off behind the callers' backs. */
export interface Backlog {
  /**
   * Applies a rate that was changed, and wakes deliveries that have room but that no running attempt would wake. Never
   * rejects: where it fails, deliveries told by the old rate ask late, or in vain, and those that sleep wake in the end.
   */
  pace(ref: WebhookRef): Promise<void>;
  /**
   * Has the first delivery ask, if there is room for it; its start names the others. For a backlog of which the oldest
   * expired: see {@link reschedulePage}. Never rejects, as `pace`.
   */
  paceHead(ref: WebhookRef): Promise<void>;
  /**
   * Sends what was held. Idempotency: what a fault or the end of the process left held is sent by the next
   * call.
   *
   * @throws {AuthError} `temporarily_unavailable`
   */
  release(ref: WebhookRef): Promise<void>;
  /** Leaves what is left as it is. Settles when nothing of it is under way behind a caller's back. */
  close(): Promise<void>;
}

/** What working off a backlog needs, and nothing besides. */
export interface BacklogServices extends RescheduleServices {
  readonly deliveries: Pick<DeliveryStore, 'reschedule' | 'release'>;
  readonly queue: Pick<DeliveryQueue, 'reschedule'>;
  readonly guardEngine: Guard;
  readonly handOver: HandOver;
  readonly emit: (event: SecurityEvent) => void;
  /** What long backlogs are worked off by. */
  readonly clock: Clock;
  readonly timers?: Timers;
}

export function createBacklog(services: BacklogServices): Backlog {
  const { deliveries, queue, guardEngine, handOver, emit } = services;
  const line = new BacklogLine({ ...services, tell });

  /** @returns where the list goes on; `null` at its end. */
  async function pacePage(
    ref: WebhookRef,
    after: number | null,
    limit: number = RESCHEDULE_LIMIT,
  ): Promise<number | null> {
    const page = await reschedulePage(services, ref, { limit, after });
    if (page.length > 0) await guardEngine(() => queue.reschedule(page));
    return page.length < limit ? null : (page.at(-1)?.cursor ?? null);
  }

  async function* pacing(ref: WebhookRef): Parts {
    for (let after = await pacePage(ref, null); after !== null; ) {
      yield;
      after = await pacePage(ref, after);
    }
  }

  /** One part. */
  async function* pacingHead(ref: WebhookRef): Parts {
    yield void (await pacePage(ref, null, 1));
  }

  /** A part: whether there are more. */
  async function releaseSome(ref: WebhookRef): Promise<boolean> {
    const { scheduled, more } = await deliveries.release(ref, { limit: RELEASE_LIMIT });
    await handOver(scheduled);
    return more;
  }

  async function* releasing(ref: WebhookRef): Parts {
    while (await releaseSome(ref)) yield;
  }

  /** Of a refusal its guard has told. */
  function tell(error: unknown): void {
    if (!(error instanceof AuthError)) emit({ type: 'fault', where: 'internal', error });
  }

  return {
    pace: (ref) => line.join(ref, 'pace', pacing(ref)),
    paceHead: (ref) => line.join(ref, 'pace head', pacingHead(ref)),
    async release(ref) {
      if (await releaseSome(ref)) void line.join(ref, 'release', releasing(ref));
    },
    close: () => line.close(),
  };
}

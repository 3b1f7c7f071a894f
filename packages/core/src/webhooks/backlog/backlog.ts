import type { CallBoundary } from '../../faults/call-boundary.ts';
import { emitFaultOf } from '../../faults/emit-fault-of.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { DeliveryStore } from '../../storage/delivery-store.ts';
import type { LinePosition } from '../../storage/line-position.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import type { HandOver } from '../deliveries/hand-over.ts';
import { BackgroundScheduler, type Steps } from './background-scheduler.ts';
import { type RescheduleDeps, rescheduleHead, reschedulePage } from './reschedule-page.ts';

/**
 * How many deliveries a step changes. The first step of a release is part of the request that enables, and is not paced
 * as background work is.
 */
const STEP_LIMIT = 100;

/** The deliveries that wait while a webhook is changed. Long backlogs are worked on in the background. */
export interface Backlog {
  /**
   * Applies a changed rate or the end of a pause, and wakes deliveries that have room but that no running attempt would
   * wake. Never rejects: if it fails, deliveries ask at the times of the old rate or the end of the old pause, too late
   * or in vain, and parked ones by their fallback.
   */
  reschedule(ref: WebhookRef): Promise<void>;
  /**
   * Has the first delivery ask the store, in the background: see {@link rescheduleHead}. Never rejects, like
   * `reschedule`.
   */
  rescheduleHead(ref: WebhookRef): Promise<void>;
  /**
   * Sends what was held. Anything that a fault or the end of the process leaves held is sent by the next call, or by a
   * process that sends, which looks for it ({@link DeliveryStore.unreleased}).
   *
   * @throws {AuthError} `temporarily_unavailable`
   */
  release(ref: WebhookRef): Promise<void>;
  /** Leaves the rest undone. Settles when nothing runs in the background any more. */
  close(): Promise<void>;
}

export interface BacklogDeps extends RescheduleDeps {
  readonly deliveries: Pick<DeliveryStore, 'reschedule' | 'release'>;
  readonly callEngine: CallBoundary;
  readonly handOver: HandOver;
  readonly emit: (event: SecurityEvent) => void;
  /** For the pauses of the background work. */
  readonly clock: Clock;
}

export function createBacklog(deps: BacklogDeps): Backlog {
  const { deliveries, policy, clock, queue, callEngine, handOver, emit } = deps;
  const background = new BackgroundScheduler({
    clock,
    reportFault: (error) => emitFaultOf(error, emit),
  });
  const rescheduleDeps: RescheduleDeps = {
    deliveries,
    policy,
    queue: { reschedule: (page) => callEngine(() => queue.reschedule(page)) },
  };

  /** @returns where the list goes on; `null` at its end. */
  async function rescheduleSome(
    ref: WebhookRef,
    after: LinePosition | null,
  ): Promise<LinePosition | null> {
    const page = await reschedulePage(rescheduleDeps, ref, { limit: STEP_LIMIT, after });
    return page.length < STEP_LIMIT ? null : (page.at(-1)?.position ?? null);
  }

  async function* rescheduling(ref: WebhookRef): Steps {
    for (let after = await rescheduleSome(ref, null); after !== null; ) {
      yield;
      after = await rescheduleSome(ref, after);
    }
  }

  /** In one step. */
  async function* reschedulingHead(ref: WebhookRef): Steps {
    yield await rescheduleHead(rescheduleDeps, ref);
  }

  /** Does one step; answers whether there are more. */
  async function releaseSome(ref: WebhookRef): Promise<boolean> {
    const batch = await deliveries.release(ref, { limit: STEP_LIMIT });
    // The webhook was removed meanwhile, with what was held.
    if (batch === null) return false;
    await handOver(batch.scheduled);
    return batch.more;
  }

  async function* releasing(ref: WebhookRef): Steps {
    while (await releaseSome(ref)) yield;
  }

  return {
    reschedule: (ref) => background.add(ref, 'reschedule', rescheduling(ref)),
    rescheduleHead: (ref) => background.add(ref, 'reschedule head', reschedulingHead(ref)),
    async release(ref) {
      if (await releaseSome(ref)) void background.add(ref, 'release', releasing(ref));
    },
    close: () => background.close(),
  };
}

import type { Job, Worker } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import type { DeliveryRun } from '../runs/name-of-run.ts';
import { queueDelayMs } from '../runs/queue-delay.ts';
import { type RunDeps, turnAway } from '../runs/run-delivery.ts';
import { pauseWhenFailing } from './pause-when-failing.ts';
import { retryWhileStoreUnavailable } from './retry-while-store-unavailable.ts';

/** What BullMQ knows the queue by: every key of it begins with both. */
export interface BullmqQueueName {
  readonly queueName: string;
  readonly prefix: string;
}

/** How a worker works. */
export interface BullmqWorkerOptions extends BullmqQueueName {
  readonly connection: Redis | Cluster;
  readonly concurrency: number;
  /** How many jobs of dead deliveries stay to be seen. */
  readonly keepDead: number;
  /** Whether the queue is closing: BullMQ still hands over what it has fetched by then. */
  readonly isClosing: () => boolean;
}

/** The longest time between two checks for jobs whose worker died, ms: how soon after their lease they are retried. */
const MAX_STALLED_INTERVAL_MS = 5_000;
const STALLED_INTERVAL_SHARE_OF_LEASE = 0.25;
/** The pause before a worker whose connection failed asks again, ms. By default BullMQ waits 15 seconds. */
const RETRY_DELAY_MS = 1_000;
/** How often an idle worker polls, seconds: it may have missed a job. */
const IDLE_SECONDS = 2;
/** The pause before a job whose end BullMQ could not store is begun again, ms. */
const UNSTORED_END_MS = 5_000;
const KEEP_DEAD_SECONDS = 7 * 86_400;

/** A failed attempt that counts, as dashboards show it. BullMQ reads from it when the next one is due. */
class AttemptFailed extends Error {
  override readonly name = 'AttemptFailed';
  readonly delayMs: number;

  constructor(reason: string, delayMs: number) {
    super(reason);
    this.delayMs = delayMs;
  }
}

/**
 * A worker that does what the store says. To BullMQ
 *
 * - a failed attempt that counts is a failed attempt, and the job is delayed until the next;
 * - a delivery whose turn it is not, or that could not be tried for reasons of ours, is a delayed job;
 * - a dead delivery is a failed job, with the reason; all others that end are completed.
 *
 * BullMQ decides nothing by itself: it gives up neither after a number of attempts, nor after a number of workers that
 * died.
 */
export function createBullmqWorker(
  { Worker, DelayedError, UnrecoverableError }: typeof import('bullmq'),
  deps: RunDeps,
  options: BullmqWorkerOptions,
): Worker {
  const { leaseMs } = deps.context.policy;

  async function work(job: Job<DeliveryRun>, token: string | undefined): Promise<string> {
    const isIn = !options.isClosing() && deps.slots.tryAcquire(job.data.accountId);
    const step = isIn
      ? await retryWhileStoreUnavailable(deps, job.data, options.isClosing)
      : turnAway(deps, job.data);
    if (step.outcome === 'dead') throw new UnrecoverableError(step.reason);
    if (step.outcome === 'retry') throw new AttemptFailed(step.reason, step.delayMs);
    if (!('delayMs' in step)) return step.outcome;
    await putBack(job, step.delayMs, token);
    throw new DelayedError();
  }

  /** Where the queue cannot be reached, or has lost the job, the stalled check or the sweeper finds it. */
  async function putBack(job: Job, delayMs: number, token: string | undefined): Promise<void> {
    try {
      await job.moveToDelayed(Date.now() + queueDelayMs(delayMs), token);
    } catch (error) {
      deps.report(error);
    }
  }

  const worker = new Worker<DeliveryRun, string>(options.queueName, work, {
    connection: options.connection,
    prefix: options.prefix,
    concurrency: options.concurrency,
    lockDuration: leaseMs,
    stalledInterval: Math.min(leaseMs * STALLED_INTERVAL_SHARE_OF_LEASE, MAX_STALLED_INTERVAL_MS),
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    // The log of deliveries is in the store. A job that stayed would block its id, which a delivery that was held and
    // is released uses again.
    removeOnComplete: { count: 0 },
    removeOnFail: { count: options.keepDead, age: KEEP_DEAD_SECONDS },
    drainDelay: IDLE_SECONDS,
    runRetryDelay: RETRY_DELAY_MS,
    settings: {
      // A delay of 0 would have the job begin again without a pause.
      backoffStrategy: (_attempts, _type, error) =>
        error instanceof AttemptFailed ? Math.max(1, queueDelayMs(error.delayMs)) : UNSTORED_END_MS,
    },
  });
  worker.on('error', deps.report);
  pauseWhenFailing(worker);
  return worker;
}

import type { DeliveryQueue } from '@latchhook/core/delivery';
import {
  CallDeadline,
  type ScheduledDelivery,
  StorageUnavailableError,
} from '@latchhook/core/storage';
import type { Job, JobsOptions, Queue, Worker } from 'bullmq';
import type { Background } from '../intake/repeat.ts';
import { startIntake } from '../intake/start-intake.ts';
import type { ResolvedSweep } from '../intake/sweep-options.ts';
import { type DeliveryRun, nameOfRun } from '../runs/name-of-run.ts';
import { queueDelayMs } from '../runs/queue-delay.ts';
import type { RunDeps } from '../runs/run-delivery.ts';
import { waitAtMostLease } from '../runs/wait-at-most-lease.ts';
import { unrefTimers } from '../unref-timers.ts';
import type { BullmqConnection } from './bullmq-connections.ts';
import { type BullmqQueueName, createBullmqWorker } from './bullmq-worker.ts';
import { LocalRuns } from './local-runs.ts';
import { QueueConnections } from './queue-connections.ts';

/** The name of every job, as dashboards show it. */
const JOB_NAME = 'delivery';

/** The least `silenceMs` for publishing: with less, a Redis that is slow now and then would be considered dead. */
const MIN_SILENCE_MS = 2_000;
/** `silenceMs` for workers: longer than BullMQ blocks, which is ten seconds at most. */
const WORKER_SILENCE_MS = 15_000;

/** More than any delivery is given, so that it is never BullMQ that gives up. */
const ATTEMPTS = 1_000_000;

/**
 * Where a delivery that is next has to wait for longer than this, ms, its job is rescheduled too: if this process ends,
 * its own timer is gone, and at a low rate the webhook would stand still until a sweep. If it does not, the store is
 * asked twice, which does no harm. One that waits in this process is left to it, and mostly has no job: it gets one as
 * this closes, and is found by a sweep if this is killed.
 */
const LONG_WAIT_MS = 1_000;

/** What the queue is opened with. */
export interface BullmqQueueOptions extends BullmqQueueName {
  readonly connection: BullmqConnection;
  readonly concurrency: number;
  readonly work: boolean;
  readonly keepDead: number;
  /** How long publishing waits for Redis, ms. */
  readonly deadlineMs: number;
  readonly sweep: ResolvedSweep;
}

interface Opened {
  readonly bullmq: typeof import('bullmq');
  readonly queue: Queue;
  readonly worker: Worker | null;
}

/**
 * One job a run, in BullMQ, for whatever has to wait for long or finds no room in the process that published it. A job
 * holds the ids of the delivery alone: what is sent is read from the store.
 */
export class BullmqQueue implements DeliveryQueue {
  readonly #deps: RunDeps;
  readonly #options: BullmqQueueOptions;
  readonly #opened: Promise<Opened>;
  readonly #connections: QueueConnections;
  readonly #localRuns: LocalRuns | null;
  readonly #intake: Background | null;
  #closed: Promise<void> | null = null;

  constructor(deps: Omit<RunDeps, 'startNext'>, options: BullmqQueueOptions) {
    this.#deps = { ...deps, startNext: (delivery) => this.#startNext(delivery) };
    this.#options = options;
    this.#connections = new QueueConnections({ ...deps, connection: options.connection });
    this.#opened = this.#open();
    // Whoever awaits it gets the failure too; but one that nobody awaits must not end the process.
    this.#opened.catch(this.#deps.report);
    this.#localRuns = options.work
      ? new LocalRuns(this.#deps, options.concurrency, (deliveries) => this.#putBack(deliveries))
      : null;
    this.#intake = options.work ? startIntake(deps, this, options.sweep) : null;
  }

  /**
   * Atomicity: job by job. Where it rejects, some may have been taken; the others are late some seconds later, and
   * found by the sweeper.
   *
   * @throws {StorageUnavailableError}
   */
  async enqueue(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    await this.#add(deliveries.filter((delivery) => this.#localRuns?.take(delivery) !== true));
  }

  /** @throws {StorageUnavailableError} */
  async takeLost(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    await this.#add(
      deliveries.filter((delivery) => this.#localRuns?.takeBesideLine(delivery) !== true),
    );
  }

  /** Begins the delivery here, or promotes its job if there is no room here. */
  #startNext(delivery: ScheduledDelivery): void {
    if (this.#closed !== null) return;
    if (delivery.delayMs > LONG_WAIT_MS) {
      // Its job is delayed, mostly for longer than this, and the queue outlives this process.
      this.reschedule([delivery]).catch(() => {});
    }
    if (delivery.delayMs > 0) {
      // If this process ends meanwhile, the delivery is late, and is woken again or found by a sweep.
      unrefTimers.after(delivery.delayMs, () => this.#startNext({ ...delivery, delayMs: 0 }));
      return;
    }
    if (this.#localRuns?.wake(delivery) === true) return;
    // A failure has been reported; the delivery is then late, and found by a sweep.
    this.reschedule([delivery]).catch(() => {});
  }

  async #add(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const { queue } = await this.#opened;
    // One by one: ioredis recovers from a flushed script cache for single commands, but not within a pipeline.
    await this.#inTime(deliveries.map((delivery) => queue.add(JOB_NAME, ...jobOf(delivery))));
  }

  /** @throws {StorageUnavailableError} */
  async reschedule(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    await this.#changeDelays(
      deliveries.filter((delivery) => this.#localRuns?.reschedule(delivery) !== true),
    );
  }

  /** Some have a job already, whose delay `add` leaves as it is. */
  async #putBack(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    await this.#add(deliveries);
    await this.#changeDelays(deliveries.filter(({ delayMs }) => delayMs > 0));
  }

  async #changeDelays(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    const opened = await this.#opened;
    await this.#inTime(deliveries.map((delivery) => this.#changeDelay(opened, delivery)));
  }

  close(): Promise<void> {
    this.#connections.stopReconnecting();
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #open(): Promise<Opened> {
    const { prefix, queueName, work, deadlineMs } = this.#options;
    const bullmq = await import('bullmq');
    // A publisher wants to know soon that Redis is unavailable; a worker waits for as long as that lasts.
    const publishing = await this.#connections.open({
      maxRetriesPerRequest: 1,
      silenceMs: Math.max(MIN_SILENCE_MS, 2 * deadlineMs),
    });
    const queue = new bullmq.Queue(queueName, { connection: publishing, prefix });
    queue.on('error', this.#deps.report);
    if (!work) return { bullmq, queue, worker: null };

    const working = await this.#connections.open({
      maxRetriesPerRequest: null,
      silenceMs: WORKER_SILENCE_MS,
    });
    const isClosing = (): boolean => this.#closed !== null;
    const options = { ...this.#options, connection: working, isClosing };
    const worker = createBullmqWorker(bullmq, this.#deps, options);
    return { bullmq, queue, worker };
  }

  /** Constructs the job from its id: reading it first would be a needless round trip. */
  async #changeDelay({ bullmq, queue }: Opened, delivery: ScheduledDelivery): Promise<void> {
    const job: Job = new bullmq.Job(queue, JOB_NAME, {}, {}, nameOfRun(delivery));
    try {
      // `promote` goes by no clock, so it works where the clocks of two machines differ.
      if (delivery.delayMs <= 0) await job.promote();
      else await job.changeDelay(queueDelayMs(delivery.delayMs));
    } catch (error) {
      if (!isNotDelayed(error, bullmq)) throw error;
    }
  }

  /** ioredis itself may wait for ever. A command that lands after the deadline does no harm: a run has one job. */
  async #inTime(calls: readonly Promise<unknown>[]): Promise<void> {
    try {
      await new CallDeadline('Redis', this.#options.deadlineMs).bound(Promise.all(calls));
    } catch (error) {
      this.#deps.report(error);
      throw new StorageUnavailableError('the queue of deliveries is unavailable', { cause: error });
    }
  }

  async #close(): Promise<void> {
    await Promise.all([this.#intake?.stop(), this.#endWork()]);
    await this.#deps.sender.close();
    const opened = await this.#opened.catch(() => null);
    await opened?.queue.close();
    this.#connections.disconnect();
  }

  /**
   * Called beside the end of the intake, not after: that may have to wait for the store, and more would begin
   * meanwhile.
   */
  async #endWork(): Promise<void> {
    const opened = await this.#opened.catch(() => null);
    const worker = opened?.worker && this.#closeWorker(opened.worker);
    await waitAtMostLease(
      this.#deps,
      Promise.all([worker, this.#localRuns?.close(worker ?? undefined)]),
    );
  }

  async #closeWorker(worker: Worker): Promise<void> {
    await this.#connections.readyOrGivenUp();
    await worker.close();
  }
}

function jobOf(delivery: ScheduledDelivery): [data: DeliveryRun, options: JobsOptions] {
  const { accountId, webhookId, deliveryId, run, delayMs } = delivery;
  return [
    { accountId, webhookId, deliveryId, run },
    {
      jobId: nameOfRun(delivery),
      delay: queueDelayMs(delayMs),
      attempts: ATTEMPTS,
      backoff: { type: 'latchhook' },
      stackTraceLimit: 0,
    },
  ];
}

/** Whether the job is active, over or lost: such a job is left alone. */
function isNotDelayed(error: unknown, { ErrorCode }: typeof import('bullmq')): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === ErrorCode.JobNotExist || error.code === ErrorCode.JobNotInState;
}

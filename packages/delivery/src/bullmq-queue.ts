import {
  type DeliveryQueue,
  type ScheduledDelivery,
  StorageUnavailableError,
} from '@latchhook/core';
import type { Job, JobsOptions, Queue, Worker } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import {
  type BullmqConnection,
  MAX_RECONNECT_DELAY_MS,
  type OutageRules,
  onDuplicate,
  openConnection,
} from './bullmq-connections.ts';
import { type BullmqPlace, createBullmqWorker } from './bullmq-worker.ts';
import { ExpressLane } from './express-lane.ts';
import { type DeliveryRun, nameOfRun } from './name-of-run.ts';
import { queueDelayMs } from './queue-delay.ts';
import type { RunParts } from './run-delivery.ts';
import { atEndOfTurn } from './send/end-of-turn.ts';
import { type Intake, startIntake } from './start-intake.ts';
import type { SweepOptions } from './sweeper.ts';
import { unrefTimers } from './unref-timers.ts';
import { withinLease } from './within-lease.ts';

/** Said of a job where a dashboard names jobs. */
const JOB_NAME = 'delivery';

/** Of the one that publishes, ms, at least: shorter, and a Redis that is slow now and then would be left for it. */
const SILENCE_MS = 2_000;
/** Of a worker's connections, ms. Longer than BullMQ blocks, which is ten seconds at most. */
const WORKER_SILENCE_MS = 15_000;

/** So many that it is never BullMQ that gives a delivery up. */
const ATTEMPTS = 1_000_000;

/**
 * Who is named for later than that is woken by the queue too, ms: a process that ends takes its own timer with it, and at a
 * low rate the webhook would stand still until a sweep. So it is asked for twice where nothing ends.
 */
const LONG_WAIT_MS = 1_000;

/** What the queue is opened with. */
export interface BullmqQueueOptions extends BullmqPlace {
  readonly connection: BullmqConnection;
  readonly concurrency: number;
  readonly work: boolean;
  readonly keepDead: number;
  /** How long a call waits for Redis, ms. */
  readonly deadlineMs: number;
  readonly sweep: SweepOptions;
}

interface Opened {
  readonly bullmq: typeof import('bullmq');
  readonly queue: Queue;
  readonly worker: Worker | null;
}

/**
 * One job a run, in BullMQ, for whatever has to wait or finds no room in the process that published it. A job
 * holds the names of the delivery alone: what is sent is read from the store.
 */
export class BullmqQueue implements DeliveryQueue {
  readonly #parts: RunParts;
  readonly #options: BullmqQueueOptions;
  readonly #opened: Promise<Opened>;
  /** Those that were made, BullMQ's own included, though what was to be opened by them may have failed. */
  readonly #connections: (Redis | Cluster)[] = [];
  readonly #lane: ExpressLane | null;
  readonly #intake: Intake | null;
  #closed: Promise<void> | null = null;

  constructor(parts: Omit<RunParts, 'startNext'>, options: BullmqQueueOptions) {
    this.#parts = { ...parts, startNext: (delivery) => this.#startNext(delivery) };
    this.#options = options;
    this.#opened = this.#open();
    // Whoever waits for it hears of a failure; one that nobody waits for must not end the process.
    this.#opened.catch(this.#parts.report);
    this.#lane = options.work
      ? new ExpressLane(this.#parts, options.concurrency, (deliveries) => this.#putBack(deliveries))
      : null;
    this.#intake = options.work ? startIntake(parts, this, options.sweep) : null;
  }

  /**
   * Atomicity: job by job. Where it rejects, some may have been taken; those that were not are late some
   * seconds later, and found by the sweeper.
   *
   * @throws StorageUnavailableError
   */
  async enqueue(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    const left = deliveries.filter((delivery) => this.#lane?.take(delivery) !== true);
    if (left.length > 0) await this.#add(left);
  }

  /** Here, or by waking its job where there is no room here. */
  #startNext(delivery: ScheduledDelivery): void {
    if (this.#closed !== null) return;
    if (delivery.delayMs > LONG_WAIT_MS) {
      // The queue has it asleep, mostly for longer, and outlives this process.
      this.reschedule([delivery]).catch(() => {});
    }
    if (delivery.delayMs > 0) {
      // If this process ends meanwhile, it is late, and named again, or found by a sweep.
      unrefTimers.after(delivery.delayMs, () => this.#startNext({ ...delivery, delayMs: 0 }));
      return;
    }
    if (this.#lane?.follow(delivery) === true) return;
    // The queue tells of what fails; then the delivery is late, and found by a sweep.
    this.reschedule([delivery]).catch(() => {});
  }

  async #add(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    const { queue } = await this.#opened;
    // One by one: ioredis mends a lost script cache for a single command, but not within a pipeline.
    await this.#inTime(deliveries.map((delivery) => queue.add(JOB_NAME, ...jobOf(delivery))));
  }

  /** @throws StorageUnavailableError */
  async reschedule(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    await this.#changeDelays(deliveries.filter((one) => this.#lane?.isWaiting(one) !== true));
  }

  /** Some have a job already, which `add` leaves asleep for as long as it was told then. */
  async #putBack(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    await this.#add(deliveries);
    await this.#changeDelays(deliveries.filter(({ delayMs }) => delayMs > 0));
  }

  async #changeDelays(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    const opened = await this.#opened;
    await this.#inTime(deliveries.map((delivery) => this.#changeDelay(opened, delivery)));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #open(): Promise<Opened> {
    const { connection, prefix, queueName, work, deadlineMs } = this.#options;
    const bullmq = await import('bullmq');
    // Who publishes wants to know soon that Redis is away; a worker waits for as long as it is.
    const publishing = await this.#connect(connection, {
      maxRetriesPerRequest: 1,
      silenceMs: Math.max(SILENCE_MS, 2 * deadlineMs),
    });
    const queue = new bullmq.Queue(queueName, { connection: publishing, prefix });
    queue.on('error', this.#parts.report);
    if (!work) return { bullmq, queue, worker: null };

    const working = await this.#connect(connection, {
      maxRetriesPerRequest: null,
      silenceMs: WORKER_SILENCE_MS,
    });
    const isClosing = (): boolean => this.#closed !== null;
    const options = { ...this.#options, connection: working, isClosing };
    const worker = createBullmqWorker(bullmq, this.#parts, options);
    return { bullmq, queue, worker };
  }

  async #connect(
    connection: BullmqConnection,
    rules: Omit<OutageRules, 'mayReconnect'>,
  ): Promise<Redis | Cluster> {
    const mayReconnect = (): boolean => this.#closed === null;
    const opened = await openConnection(connection, { ...rules, mayReconnect });
    opened.on('error', this.#parts.report);
    this.#connections.push(opened);
    onDuplicate(opened, (duplicate) => this.#connections.push(duplicate));
    return opened;
  }

  /** By id alone: to read the job first would be a second trip for nothing. */
  async #changeDelay({ bullmq, queue }: Opened, delivery: ScheduledDelivery): Promise<void> {
    const job: Job = new bullmq.Job(queue, JOB_NAME, {}, {}, nameOfRun(delivery));
    try {
      // To promote needs no clock, and so it helps where those of two machines differ.
      if (delivery.delayMs <= 0) await job.promote();
      else await job.changeDelay(queueDelayMs(delivery.delayMs));
    } catch (error) {
      if (!isNotDelayed(error, bullmq)) throw error;
    }
  }

  /** ioredis alone can wait for ever. What lands late is taken once all the same. */
  async #inTime(calls: readonly Promise<unknown>[]): Promise<void> {
    const { deadlineMs } = this.#options;
    let cancel = (): void => {};
    const deadline = new Promise<never>((_resolve, reject) => {
      // An answer may lie there that has not been read (ADR 38).
      cancel = this.#parts.timers.after(deadlineMs, () =>
        atEndOfTurn(() => reject(new Error(`Redis did not answer within ${deadlineMs} ms`))),
      );
    });
    try {
      await Promise.race([Promise.all(calls), deadline]);
    } catch (error) {
      this.#parts.report(error);
      throw new StorageUnavailableError('the queue of deliveries is unavailable', { cause: error });
    } finally {
      cancel();
    }
  }

  async #close(): Promise<void> {
    await Promise.all([this.#intake?.stop(), this.#endWork()]);
    await this.#parts.sender.close();
    const opened = await this.#opened.catch(() => null);
    await opened?.queue.close();
    for (const connection of this.#connections) connection.disconnect();
  }

  /** At once, though a sweep may have to wait for the store: until then more would begin, and outlast it. */
  async #endWork(): Promise<void> {
    const opened = await this.#opened.catch(() => null);
    const worker = opened?.worker && this.#closeWorker(opened.worker);
    await withinLease(this.#parts, Promise.all([worker, this.#lane?.close(worker ?? undefined)]));
  }

  /**
   * Where Redis is away, no sooner than all connections have found that out again: BullMQ waits for the end of one, which
   * a client of ioredis that pauses between two tries never tells.
   */
  async #closeWorker(worker: Worker): Promise<void> {
    if (this.#connections.some(({ status }) => status !== 'ready')) {
      await new Promise<void>((resolve) => {
        this.#parts.timers.after(MAX_RECONNECT_DELAY_MS, resolve);
      });
    }
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

/** The job is under way, or over, or was lost: what is left alone. */
function isNotDelayed(error: unknown, { ErrorCode }: typeof import('bullmq')): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === ErrorCode.JobNotExist || error.code === ErrorCode.JobNotInState;
}

import { AsyncResource } from 'node:async_hooks';
import { type Clock, monotonicMs } from '../../ports/clock.ts';
import { systemTimers, type Timers } from '../../ports/timers.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';

/**
 * The pause after each step, in multiples of the time that the step took: a client that changes its webhooks over and
 * over keeps the store and the engine of each process busy for a quarter of the time at most. It is still fast: 10,000
 * deliveries that waited by a limit of one a minute had all arrived 3 s after it was raised to 10,000 a second.
 */
const PAUSE_PER_STEP = 3;

/** A job that is done in steps, one for each `next()`. It is over once a step has failed. */
export type Steps = AsyncGenerator<void, void>;

export interface BackgroundSchedulerDeps {
  /** Durations are measured by it. */
  readonly clock: Clock;
  /** Default: Node's own. */
  readonly timers?: Timers;
  /** Called with the error of each step that failed. */
  readonly reportFault: (error: unknown) => void;
}

/** What is to be done for one webhook under one name. */
interface Job {
  readonly key: string;
  /** The steps that were added last, of which none is done yet. */
  pending: Steps | null;
  /** Steps that had begun before. They go on if the pending ones fail at the first, so that the rest gets done. */
  current: Steps | null;
}

/** An account with jobs: at least one. */
interface Account {
  readonly accountId: number;
  /** By key. First the one whose turn it is. */
  readonly jobs: Map<string, Job>;
}

/**
 * Does jobs in the background of this process, one step at a time, round robin: accounts take turns, and so do the jobs
 * of one account.
 */
export class BackgroundScheduler {
  readonly #deps: BackgroundSchedulerDeps;
  readonly #timers: Timers;
  /** By id. First the one whose turn it is. */
  readonly #accounts = new Map<number, Account>();
  /** The running step, or the one after which it pauses; `null`: it is idle. */
  #step: Promise<void> | null = null;
  #cancelPause = (): void => {};
  #isClosed = false;
  /**
   * In the async context of whoever made this: all but the first step belong to no request, and not all to one webhook.
   */
  readonly #runStepApart = AsyncResource.bind(() => this.#runStep());

  constructor(deps: BackgroundSchedulerDeps) {
    this.#deps = deps;
    this.#timers = deps.timers ?? systemTimers;
  }

  /**
   * Adds a job. It replaces one for the same webhook under the same name as soon as it has begun: otherwise each
   * repeated request of a client would cause another walk over the whole backlog.
   *
   * @returns if the scheduler is idle, once the first step is done; else at once. Never rejects: `reportFault` is
   * called.
   */
  async add({ accountId, webhookId }: WebhookRef, name: string, steps: Steps): Promise<void> {
    if (this.#isClosed) return;
    const account = this.#accounts.get(accountId) ?? { accountId, jobs: new Map<string, Job>() };
    this.#accounts.set(accountId, account);
    const key = `${name} ${webhookId}`;
    const job = account.jobs.get(key) ?? { key, pending: null, current: null };
    account.jobs.set(key, job);
    job.pending = steps;
    if (this.#step === null) await this.#runStep();
  }

  /** Begins no more steps. Settles when none is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPause();
    await this.#step;
  }

  /** @returns once one step is done; the others follow by themselves. */
  #runStep(): Promise<void> {
    const { clock } = this.#deps;
    const beganAtMs = monotonicMs(clock);
    const step = this.#stepOfNext();
    this.#step = step;
    void step.then(() => this.#pause(PAUSE_PER_STEP * (monotonicMs(clock) - beganAtMs)));
    return step;
  }

  #pause(ms: number): void {
    if (this.#isClosed) return;
    const end = (): void => {
      this.#step = null;
      if (this.#accounts.size > 0) void this.#runStepApart();
    };
    if (ms > 0) this.#cancelPause = this.#timers.after(ms, end);
    else end();
  }

  async #stepOfNext(): Promise<void> {
    const account = takeTurn(this.#accounts);
    const job = account && takeTurn(account.jobs);
    if (account === undefined || job === undefined) return;
    await this.#advance(job);
    if (job.pending === null && job.current === null) account.jobs.delete(job.key);
    if (account.jobs.size === 0) this.#accounts.delete(account.accountId);
  }

  /** Steps that are added meanwhile are left pending. */
  async #advance(job: Job): Promise<void> {
    const { pending } = job;
    const steps = pending ?? job.current;
    try {
      const isOver = (await steps?.next())?.done === true;
      job.current = isOver ? null : steps;
    } catch (error) {
      // A generator that threw is over, and says so when it is asked again.
      this.#deps.reportFault(error);
    }
    if (job.pending === pending) job.pending = null;
  }
}

/** Takes the first, and puts it last. */
function takeTurn<Key, Value>(turns: Map<Key, Value>): Value | undefined {
  for (const [key, value] of turns) {
    turns.delete(key);
    turns.set(key, value);
    return value;
  }
  return undefined;
}

import { AsyncResource } from 'node:async_hooks';
import type { DrainOutcome } from '@latchhook/core';
import type { DeliveryContext, Timers } from '@latchhook/core/delivery';
import type { AttemptEnd, Claim, ClaimedAttempt, DeliveryStore } from '@latchhook/core/storage';
import { Completions } from './completions.ts';
import { emitUnreported } from './emit-unreported.ts';
import type { LazySender } from './lazy-sender.ts';
import { RateMargin } from './rate-margin.ts';
import { notStarted, type SendAttemptDeps, sendAttempt } from './send-attempt.ts';

/** The longest that nothing is claimed, ms: notifications may be missed. */
const POLL_MS = 1_000;
/** The shortest wait after a claim that came needlessly, ms, whatever the store says. */
const LEAST_WAIT_MS = 5;
/** How long a worker waits after the store failed, ms; doubled up to {@link POLL_MS}. */
const FIRST_BACKOFF_MS = 125;
/** How many attempts one claim takes at most: they have to begin within the margin of the rate. */
const MAX_CLAIM = 64;
/**
 * Nothing is claimed for an account that has so much of this process's capacity in flight, or so many attempts where
 * that is more, over all processes: what the store counts.
 */
const SHARE = 0.75;
const LEAST_SHARE = 10;

export interface DeliveryLoopDeps extends SendAttemptDeps {
  readonly store: Pick<DeliveryStore, 'claim' | 'complete' | 'subscribe'>;
  readonly sender: Pick<LazySender, 'send' | 'ready'>;
  readonly context: Pick<DeliveryContext, 'policy' | 'decryptSecrets' | 'emit'>;
  readonly timers: Timers;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  /** Attempts that this process has in flight at a time. */
  readonly concurrency: number;
}

/** What a claim was asked for: how many, when by the monotonic clock, ms, and with which margin. */
interface Asked {
  readonly limit: number;
  readonly askedAtMs: number;
  readonly rateMarginMs: number;
}

/**
 * Claims attempts while it has permits, sends them, and completes them.
 *
 * One claim is under way at a time: what ends meanwhile makes the next one larger.
 */
export class DeliveryLoop {
  readonly #deps: DeliveryLoopDeps;
  readonly #completions: Completions;
  readonly #margin = new RateMargin();
  readonly #maxInFlightPerAccount: number;
  #free: number;
  #isStopped = true;
  #isClaiming = false;
  /** The store has failed: nothing is claimed until the timer says so. */
  #isBackingOff = false;
  #backoffMs = 0;
  #hasMore = false;
  #wasWoken = false;
  #cancelTimer = (): void => {};
  #unsubscribe: (() => Promise<void>) | undefined;
  /** Each looks whether what it waits for is reached. */
  readonly #waiting = new Set<() => void>();
  /**
   * Called by the one who publishes, within a request of the host's. What follows, of other accounts too, must not run
   * in the async context of that.
   */
  readonly #notify = AsyncResource.bind((): void => {
    this.#hasMore = true;
    // A claim under way may have been answered before this became due.
    this.#wasWoken = this.#isClaiming;
    this.#claim();
  });

  constructor(deps: DeliveryLoopDeps) {
    this.#deps = deps;
    const { concurrency, context, store, timers, nowMs } = deps;
    const { emit, policy } = context;
    this.#free = concurrency;
    const share = Math.max(LEAST_SHARE, Math.floor(SHARE * concurrency));
    this.#maxInFlightPerAccount = Math.min(share, policy.maxInFlightPerAccount);
    this.#completions = new Completions({
      ...{ store, emit, timers, nowMs },
      limits: { disableAfterMs: policy.disableAfterMs },
      onClaimable: () => this.#claim(),
      onSettled: (ends) => this.#completed(ends),
    });
  }

  start(): void {
    this.#isStopped = false;
    this.#unsubscribe = this.#deps.store.subscribe?.(this.#notify);
    this.#claim();
  }

  /**
   * Claims no more, gives back what has not begun, and resolves once all attempts in flight were completed, or after
   * `deadlineMs`: the leases of those that are left will be lost, and the store is asked for nothing more.
   */
  async stop(deadlineMs: number): Promise<DrainOutcome> {
    this.#isStopped = true;
    this.#cancelTimer();
    let isSubscribed = true;
    void this.#endSubscription().then(() => {
      isSubscribed = false;
      this.#look();
    });
    const stopped = await this.#until(() => this.#isIdle() && !isSubscribed, deadlineMs);
    this.#completions.close();
    return stopped;
  }

  /** Asks for what is due, and resolves once nothing is due or in flight, or after `deadlineMs`. */
  drain(deadlineMs: number): Promise<DrainOutcome> {
    this.#notify();
    return this.#until(() => this.#isIdle() && (this.#isStopped || !this.#hasMore), deadlineMs);
  }

  /** Never rejects. */
  async #endSubscription(): Promise<void> {
    try {
      await this.#unsubscribe?.();
    } catch (error) {
      emitUnreported(this.#deps.context.emit, error);
    }
  }

  #isIdle(): boolean {
    const isSending = this.#free < this.#deps.concurrency;
    return !this.#isClaiming && !isSending && this.#completions.isIdle;
  }

  #until(isReached: () => boolean, deadlineMs: number): Promise<DrainOutcome> {
    return new Promise((resolve) => {
      const settle = (outcome: DrainOutcome['outcome']): void => {
        cancel();
        this.#waiting.delete(look);
        resolve({ outcome });
      };
      const look = (): void => {
        if (isReached()) settle('drained');
      };
      const cancel = this.#deps.timers.after(deadlineMs, () => settle('deadline'));
      this.#waiting.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of this.#waiting) look();
  }

  #claim(): void {
    const isWaiting = this.#isBackingOff || this.#completions.isFailing;
    if (this.#isClaiming || this.#isStopped || isWaiting || this.#free === 0) return;
    this.#cancelTimer();
    this.#isClaiming = true;
    void this.#claimOnce();
  }

  /** Never rejects. */
  async #claimOnce(): Promise<void> {
    const { sender, context, nowMs } = this.#deps;
    try {
      // Before the store is asked: what it hands out has to begin within the margin of the rate.
      await sender.ready();
    } catch (error) {
      context.emit({ type: 'fault', where: 'delivery', error });
      this.#failed();
      return;
    }
    if (this.#isStopped) {
      this.#isClaiming = false;
      this.#look();
      return;
    }
    const limit = Math.min(MAX_CLAIM, this.#free);
    const asked = { limit, askedAtMs: nowMs(), rateMarginMs: this.#margin.ms };
    try {
      this.#claimed(await this.#ask(asked), asked);
    } catch (error) {
      emitUnreported(context.emit, error);
      this.#failed();
    }
  }

  async #ask({ limit, rateMarginMs }: Asked): Promise<Required<Claim>> {
    const { store, context } = this.#deps;
    const { leaseMs, maxInFlightPerWebhook, maxStalledAttempts } = context.policy;
    const claim: Partial<Claim> | undefined = await store.claim({
      limit,
      leaseMs,
      rateMarginMs,
      maxInFlightPerWebhook,
      maxInFlightPerAccount: this.#maxInFlightPerAccount,
      maxStalledAttempts,
    });
    const { attempts, poisoned, expired = [], nextInMs = null } = claim ?? {};
    if (Array.isArray(attempts) && Array.isArray(poisoned)) {
      return { attempts, poisoned, expired, nextInMs };
    }
    throw new TypeError('claim answered no lists of attempts and of what is poison');
  }

  #claimed({ attempts, poisoned, expired, nextInMs }: Required<Claim>, asked: Asked): void {
    this.#isClaiming = false;
    this.#backoffMs = 0;
    // What it was given may be all that it asked for, and not all that there was: then nobody will tell it of more.
    this.#hasMore = nextInMs === 0 || this.#wasWoken || attempts.length >= asked.limit;
    const isWorthwhile = attempts.length > 0 || this.#wasWoken;
    this.#wasWoken = false;
    const { emit } = this.#deps.context;
    for (const delivery of poisoned) emit({ type: 'delivery.dead', reason: 'poison', ...delivery });
    for (const delivery of expired) emit({ type: 'delivery.dead', reason: 'expired', ...delivery });
    const last = attempts.at(-1);
    for (const attempt of attempts) this.#send(attempt, asked, attempt === last);
    if (this.#free > 0) this.#claimIn(this.#hasMore && isWorthwhile ? 0 : waitOf(nextInMs));
    this.#look();
  }

  #failed(): void {
    this.#isClaiming = false;
    this.#hasMore = true;
    this.#isBackingOff = true;
    this.#backoffMs = Math.min(POLL_MS, this.#backoffMs * 2 || FIRST_BACKOFF_MS);
    this.#claimIn(this.#backoffMs * (1 + this.#deps.random()));
    this.#look();
  }

  #claimIn(ms: number): void {
    if (this.#isStopped) return;
    this.#cancelTimer();
    const claim = (): void => {
      this.#isBackingOff = false;
      this.#claim();
    };
    if (ms === 0) claim();
    else this.#cancelTimer = this.#deps.timers.after(ms, claim);
  }

  #send(attempt: ClaimedAttempt, { askedAtMs, rateMarginMs }: Asked, isLast: boolean): void {
    const { nowMs, context } = this.#deps;
    const leaseEndsAtMs = askedAtMs + context.policy.leaseMs;
    if (this.#isStopped) {
      this.#completions.add({ end: notStarted(attempt), leaseEndsAtMs });
      return;
    }
    this.#free -= 1;
    const mayBegin = (connectingMs: number): boolean => {
      const ageMs = nowMs() - connectingMs - askedAtMs;
      if (isLast) this.#margin.note(ageMs);
      return !this.#isStopped && ageMs <= rateMarginMs;
    };
    void sendAttempt(this.#deps, attempt, mayBegin).then((end) => {
      this.#free += 1;
      this.#completions.add({ end, leaseEndsAtMs });
    });
  }

  #completed(ends: readonly AttemptEnd[]): void {
    // The claim beside the completion may have come first, and has not found what is given back.
    if (this.#waiting.size > 0 || ends.some(isGivenBack)) this.#notify();
    this.#look();
  }
}

/** How long to wait where the store says when to claim again, ms. */
function waitOf(nextInMs: number | null): number {
  const ms = Number(nextInMs ?? POLL_MS);
  return Math.min(POLL_MS, Math.max(LEAST_WAIT_MS, Number.isNaN(ms) ? POLL_MS : ms));
}

function isGivenBack({ outcome }: AttemptEnd): boolean {
  return outcome.kind === 'not_started';
}

import { AsyncResource } from 'node:async_hooks';
import type { DrainOutcome } from '@latchhook/core';
import type { DeliveryContext, Timers } from '@latchhook/core/delivery';
import type { AttemptEnd, Claim, ClaimedAttempt, DeliveryStore } from '@latchhook/core/storage';
import { claimFromStore } from './claim-from-store.ts';
import { ClaimSize } from './claim-size.ts';
import { Completions } from './completions.ts';
import { ConditionWaits } from './condition-waits.ts';
import { emitUnreported } from './emit-unreported.ts';
import type { LazySender } from './lazy-sender.ts';
import { RateMargin } from './rate-margin.ts';
import { notStarted, type SendAttemptDeps, sendAttempt } from './send-attempt.ts';

/** The longest time without a claim, ms: notifications may be missed. */
const POLL_MS = 1_000;
/** The shortest wait after a claim that returned nothing, ms, even if the store asks for less. */
const LEAST_WAIT_MS = 5;
/** The first backoff after a failure of the store, ms; it doubles up to {@link POLL_MS}. */
const FIRST_BACKOFF_MS = 125;
/**
 * This process claims nothing for an account that has this share of its capacity in flight, but at least
 * `LEAST_PER_ACCOUNT`. The store counts the attempts of all processes.
 */
const ACCOUNT_SHARE = 0.75;
const LEAST_PER_ACCOUNT = 10;

export interface DeliveryLoopDeps extends SendAttemptDeps {
  readonly store: Pick<DeliveryStore, 'claim' | 'complete' | 'subscribe'>;
  readonly sender: Pick<LazySender, 'send' | 'open'>;
  readonly context: Pick<DeliveryContext, 'policy' | 'decryptSecrets' | 'emit'>;
  readonly timers: Timers;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  /** How many attempts this process may have in flight. */
  readonly concurrency: number;
}

/** A claim that was sent to the store. */
interface SentClaim {
  readonly limit: number;
  /** By the monotonic clock, ms. */
  readonly sentAtMs: number;
  /** By the monotonic clock, ms. */
  readonly leaseEndsAtMs: number;
  readonly rateMarginMs: number;
}

/**
 * Claims attempts while it has permits, sends them, and completes them.
 *
 * Only one claim is pending at a time. Attempts that end during a claim free permits for the next claim.
 */
export class DeliveryLoop {
  readonly #deps: DeliveryLoopDeps;
  readonly #completions: Completions;
  readonly #claimSize = new ClaimSize();
  readonly #margin = new RateMargin();
  readonly #maxInFlightPerAccount: number;
  #free: number;
  #isStopped = true;
  /** `backing_off`: a claim has failed, and there is no other until the timer fires. */
  #state: 'ready' | 'claiming' | 'backing_off' = 'ready';
  #backoffMs = 0;
  /** Whether something may be due that the last claim has not returned. */
  #hasMore = false;
  #cancelTimer = (): void => {};
  #unsubscribe: (() => Promise<void>) | undefined;
  /** The pending calls of `drain` and `stop`. */
  readonly #waits: ConditionWaits;
  /**
   * Called by a publisher, within a request of the host. The claim and the attempts that follow, also of other
   * accounts, must not run in the async context of that request.
   */
  readonly #notify = AsyncResource.bind((): void => {
    this.#hasMore = true;
    this.#claim();
  });

  constructor(deps: DeliveryLoopDeps) {
    this.#deps = deps;
    const { concurrency, context, store, timers, nowMs } = deps;
    const { emit, policy } = context;
    this.#free = concurrency;
    this.#waits = new ConditionWaits(timers);
    const share = Math.max(LEAST_PER_ACCOUNT, Math.floor(ACCOUNT_SHARE * concurrency));
    this.#maxInFlightPerAccount = Math.min(share, policy.maxInFlightPerAccount);
    this.#completions = new Completions({
      store,
      emit,
      timers,
      nowMs,
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
   * Stops claiming, returns attempts that have not begun, and resolves once all attempts in flight are completed, or
   * after `deadlineMs`. After that the store is not called any more, and the remaining attempts stall.
   */
  async stop(deadlineMs: number): Promise<DrainOutcome> {
    this.#isStopped = true;
    this.#cancelTimer();
    let isSubscribed = true;
    void this.#endSubscription().then(() => {
      isSubscribed = false;
      this.#waits.check();
    });
    const stopped = await this.#waits.until(() => this.#isIdle() && !isSubscribed, deadlineMs);
    this.#completions.close();
    return stopped;
  }

  /** Claims what is due, and resolves once nothing is due or in flight, or after `deadlineMs`. */
  drain(deadlineMs: number): Promise<DrainOutcome> {
    this.#notify();
    return this.#waits.until(
      () => this.#isIdle() && (this.#isStopped || !this.#hasMore),
      deadlineMs,
    );
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
    return this.#state !== 'claiming' && !isSending && this.#completions.isIdle;
  }

  #claim(): void {
    const mayClaim = this.#free > 0 && this.#completions.claimLimit > 0;
    if (this.#state !== 'ready' || this.#isStopped || !mayClaim) return;
    this.#cancelTimer();
    this.#state = 'claiming';
    void this.#openAndClaim();
  }

  /** Opens the sender first because the claimed attempts have to begin within the rate margin. Never rejects. */
  async #openAndClaim(): Promise<void> {
    const { sender, context } = this.#deps;
    try {
      await sender.open();
    } catch (error) {
      context.emit({ type: 'fault', where: 'delivery', error });
      this.#backOff();
      return;
    }
    if (!this.#isStopped && this.#completions.claimLimit > 0) return this.#claimFromStore();
    // The worker was stopped, or completions have begun to fail, while the sender was opened. A retry of completions
    // claims again.
    this.#state = 'ready';
    this.#waits.check();
  }

  /** Never rejects. */
  async #claimFromStore(): Promise<void> {
    const { store, context, nowMs } = this.#deps;
    const limit = Math.min(this.#claimSize.limit, this.#free, this.#completions.claimLimit);
    this.#completions.onClaim();
    // A notification during the claim sets `#hasMore` again: the store may have applied the claim before a delivery was
    // due.
    this.#hasMore = false;
    const { leaseMs, maxInFlightPerWebhook, maxStalledAttempts } = context.policy;
    const sentAtMs = nowMs();
    const rateMarginMs = this.#margin.ms;
    const sentClaim = { limit, sentAtMs, leaseEndsAtMs: sentAtMs + leaseMs, rateMarginMs };
    try {
      const claim = await claimFromStore(store, {
        limit,
        leaseMs,
        rateMarginMs,
        maxInFlightPerWebhook,
        maxInFlightPerAccount: this.#maxInFlightPerAccount,
        maxStalledAttempts,
        onUnsent: (attempts) => this.#return(attempts, sentClaim),
      });
      this.#claimed(claim, sentClaim);
    } catch (error) {
      emitUnreported(context.emit, error);
      this.#claimSize.recordFailure();
      this.#backOff();
    }
  }

  #claimed({ attempts, poisoned, expired, nextInMs }: Required<Claim>, sentClaim: SentClaim): void {
    this.#state = 'ready';
    this.#backoffMs = 0;
    this.#claimSize.record(attempts);
    const wasNotified = this.#hasMore;
    // A full claim may leave deliveries that are due. No notification follows for them.
    this.#hasMore ||= nextInMs === 0 || attempts.length >= sentClaim.limit;
    const { emit } = this.#deps.context;
    for (const delivery of poisoned) emit({ type: 'delivery.dead', reason: 'poison', ...delivery });
    for (const delivery of expired) emit({ type: 'delivery.dead', reason: 'expired', ...delivery });
    // The last attempt of a claim begins last, so its age is the one that the rate margin has to cover.
    const last = attempts.at(-1);
    for (const attempt of attempts) this.#send(attempt, sentClaim, attempt === last);
    // A store that never returns what is due must not be called in a busy loop.
    const isProgress = attempts.length > 0 || wasNotified;
    if (this.#hasMore && isProgress) this.#claim();
    else if (this.#free > 0) this.#claimIn(waitOf(nextInMs));
    this.#waits.check();
  }

  #backOff(): void {
    this.#state = 'backing_off';
    // What the failed claim would have returned is still due.
    this.#hasMore = true;
    this.#backoffMs = Math.min(POLL_MS, Math.max(FIRST_BACKOFF_MS, 2 * this.#backoffMs));
    this.#claimIn(this.#backoffMs * (1 + this.#deps.random()));
    this.#waits.check();
  }

  #claimIn(ms: number): void {
    if (this.#isStopped) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#deps.timers.after(ms, () => {
      this.#state = 'ready';
      this.#claim();
    });
  }

  #return(attempts: readonly ClaimedAttempt[], { leaseEndsAtMs }: SentClaim): void {
    this.#claimSize.record(attempts);
    this.#completions.add(
      ...attempts.map((attempt) => ({ end: notStarted(attempt), leaseEndsAtMs })),
    );
  }

  #send(attempt: ClaimedAttempt, sentClaim: SentClaim, isLast: boolean): void {
    if (this.#isStopped) {
      this.#return([attempt], sentClaim);
      return;
    }
    const { nowMs } = this.#deps;
    const { sentAtMs, leaseEndsAtMs, rateMarginMs } = sentClaim;
    this.#free -= 1;
    const mayBegin = (connectingMs: number): boolean => {
      const ageMs = nowMs() - connectingMs - sentAtMs;
      if (isLast) this.#margin.record(ageMs);
      return !this.#isStopped && ageMs <= rateMarginMs;
    };
    void sendAttempt(this.#deps, attempt, mayBegin).then((end) => {
      this.#free += 1;
      this.#completions.add({ end, leaseEndsAtMs });
    });
  }

  #completed(ends: readonly AttemptEnd[]): void {
    // The store may have applied a concurrent claim before this completion. Such a claim has missed the returned
    // attempts, and other deliveries that this completion has made due, for which `drain` waits.
    if (!this.#waits.isEmpty || ends.some(isReturned)) this.#notify();
    this.#waits.check();
  }
}

/** The wait before the next claim, within the bounds, ms: the longest if a store returns something but a number. */
function waitOf(nextInMs: number | null): number {
  const ms = Number(nextInMs ?? POLL_MS);
  return Math.min(POLL_MS, Math.max(LEAST_WAIT_MS, Number.isNaN(ms) ? POLL_MS : ms));
}

function isReturned({ outcome }: AttemptEnd): boolean {
  return outcome.kind === 'not_started';
}

import type { DeliveryContext, Timers } from '@latchhook/core/delivery';
import type { AttemptEnd, Claim, ClaimedAttempt, ClaimStore } from '@latchhook/core/storage';
import { RateMargin } from './rate-margin.ts';
import { type SendAttemptDeps, sendAttempt } from './send-attempt.ts';

/** The longest that nothing is claimed, ms: wake-ups may be missed. */
const POLL_MS = 1_000;
/** How long a worker waits after the store failed, ms; doubled up to {@link POLL_MS}. */
const FIRST_BACKOFF_MS = 125;
/** How many attempts one claim takes at most: they have to begin within the margin of the rate. */
const MAX_CLAIM = 64;

export interface DeliveryLoopDeps extends SendAttemptDeps {
  readonly store: Pick<ClaimStore, 'claim' | 'complete' | 'subscribe'>;
  readonly context: Pick<DeliveryContext, 'policy' | 'openSecrets' | 'emit'>;
  readonly timers: Timers;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  /** Attempts that this process has in flight at a time. */
  readonly concurrency: number;
  readonly maxInFlightPerAccount: number;
}

/** An attempt that has ended, and of which the store is to be told. */
interface Ended {
  readonly end: AttemptEnd;
  /** By the monotonic clock, ms: a little earlier than by the store's. */
  readonly leaseEndsAtMs: number;
}

/**
 * Claims attempts while it has permits, sends them, and completes together all that end in a turn of the event loop.
 *
 * One claim is under way at a time: what ends meanwhile makes the next one larger.
 */
export class DeliveryLoop {
  readonly #deps: DeliveryLoopDeps;
  readonly #margin = new RateMargin();
  #free: number;
  #ended: Ended[] = [];
  #completing = 0;
  #isFlushing = false;
  #isClaiming = false;
  #isStopped = true;
  #hasMore = false;
  #wasWoken = false;
  #backoffMs = 0;
  #cancelTimer = (): void => {};
  #unsubscribe: (() => Promise<void>) | undefined;
  /** Each is called when nothing is in flight any more; with `isDrained` only if nothing is due either. */
  readonly #waiting = new Set<() => void>();

  constructor(deps: DeliveryLoopDeps) {
    this.#deps = deps;
    this.#free = deps.concurrency;
  }

  start(): void {
    this.#isStopped = false;
    this.#unsubscribe = this.#deps.store.subscribe?.(() => this.#wake());
    this.#claim();
  }

  /**
   * Claims no more, returns what has not begun, and resolves once all attempts in flight were completed, or after
   * `deadlineMs`: the leases of those that are left will be lost.
   */
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#unsubscribe?.();
    await this.#until(() => this.#isIdle(), deadlineMs);
  }

  /** Resolves once nothing is due or in flight, or after `deadlineMs`. */
  drained(deadlineMs: number): Promise<void> {
    return this.#until(() => this.#isIdle() && !this.#hasMore, deadlineMs);
  }

  #isIdle(): boolean {
    const { concurrency } = this.#deps;
    const isCompleting = this.#completing > 0 || this.#ended.length > 0;
    return !this.#isClaiming && !isCompleting && this.#free === concurrency;
  }

  #until(isReached: () => boolean, deadlineMs: number): Promise<void> {
    if (isReached()) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        cancel();
        this.#waiting.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isReached()) settle();
      };
      const cancel = this.#deps.timers.after(deadlineMs, settle);
      this.#waiting.add(look);
    });
  }

  #settle(): void {
    for (const look of this.#waiting) look();
  }

  #wake(): void {
    this.#hasMore = true;
    // A claim under way may have been answered before this became due.
    this.#wasWoken = this.#isClaiming;
    this.#claim();
  }

  #claim(): void {
    if (this.#isClaiming || this.#isStopped || this.#free === 0) return;
    this.#cancelTimer();
    this.#isClaiming = true;
    const { context, maxInFlightPerAccount, nowMs } = this.#deps;
    const { leaseMs, maxInFlightPerWebhook, maxLostAttempts } = context.policy;
    const limit = Math.min(MAX_CLAIM, this.#free);
    const rateMarginMs = this.#margin.ms;
    const askedAtMs = nowMs();
    const limits = { maxInFlightPerWebhook, maxInFlightPerAccount, maxLostAttempts };
    settled(() => this.#deps.store.claim({ limit, leaseMs, rateMarginMs, ...limits })).then(
      (claim) => this.#claimed(claim, { askedAtMs, rateMarginMs }),
      () => this.#failed(),
    );
  }

  #claimed(
    { attempts, poisoned, expired = [], nextInMs }: Claim,
    asked: { readonly askedAtMs: number; readonly rateMarginMs: number },
  ): void {
    this.#isClaiming = false;
    this.#backoffMs = 0;
    this.#hasMore = nextInMs === 0 || this.#wasWoken;
    this.#wasWoken = false;
    const { emit } = this.#deps.context;
    for (const delivery of poisoned) emit({ type: 'delivery.dead', reason: 'poison', ...delivery });
    for (const delivery of expired) emit({ type: 'delivery.dead', reason: 'expired', ...delivery });
    const last = attempts.at(-1);
    for (const attempt of attempts) this.#send(attempt, asked, attempt === last);
    if (this.#free > 0) this.#claimIn(this.#hasMore ? 0 : Math.min(nextInMs ?? POLL_MS, POLL_MS));
    this.#settle();
  }

  #failed(): void {
    this.#isClaiming = false;
    this.#hasMore = true;
    this.#backoffMs = Math.min(POLL_MS, this.#backoffMs * 2 || FIRST_BACKOFF_MS);
    this.#claimIn(this.#backoffMs * (1 + this.#deps.random()));
    this.#settle();
  }

  #claimIn(ms: number): void {
    if (this.#isStopped) return;
    this.#cancelTimer();
    if (ms === 0) this.#claim();
    else this.#cancelTimer = this.#deps.timers.after(ms, () => this.#claim());
  }

  #send(
    attempt: ClaimedAttempt,
    { askedAtMs, rateMarginMs }: { readonly askedAtMs: number; readonly rateMarginMs: number },
    isLast: boolean,
  ): void {
    this.#free -= 1;
    const { nowMs, context } = this.#deps;
    const mayBegin = (connectingMs: number): boolean => {
      const ageMs = nowMs() - connectingMs - askedAtMs;
      if (isLast) this.#margin.note(ageMs);
      return !this.#isStopped && ageMs <= rateMarginMs;
    };
    const leaseEndsAtMs = askedAtMs + context.policy.leaseMs;
    void sendAttempt(this.#deps, attempt, mayBegin).then((end) => {
      this.#free += 1;
      this.#complete({ end, leaseEndsAtMs });
    });
  }

  #complete(...ended: readonly Ended[]): void {
    this.#ended.push(...ended);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    const ended = this.#ended;
    this.#ended = [];
    this.#isFlushing = false;
    this.#completing += 1;
    const { store, context, maxInFlightPerAccount } = this.#deps;
    const { disableAfterMs } = context.policy;
    const ends = ended.map(({ end }) => end);
    settled(() => store.complete(ends, { disableAfterMs, maxInFlightPerAccount })).then(
      (completed) => {
        this.#completing -= 1;
        for (const [nth, end] of ends.entries()) report(context, end, completed[nth]);
        this.#settle();
      },
      () => this.#completeLater(ended),
    );
    this.#claim();
  }

  /** Tells the store again until the leases are over: from then on the attempts count as lost. */
  #completeLater(ended: readonly Ended[]): void {
    const { timers, nowMs } = this.#deps;
    timers.after(POLL_MS, () => {
      this.#completing -= 1;
      const held = ended.filter(({ leaseEndsAtMs }) => nowMs() < leaseEndsAtMs);
      if (held.length > 0) this.#complete(...held);
      else this.#settle();
    });
  }
}

/** A store in memory may answer without a promise, or throw. */
async function settled<Answer>(call: () => Answer): Promise<Awaited<Answer>> {
  return await call();
}

type Completed = Awaited<ReturnType<ClaimStore['complete']>>[number] | undefined;

function report(
  { emit }: Pick<DeliveryContext, 'emit'>,
  { accountId, webhookId, deliveryId, outcome }: AttemptEnd,
  completed: Completed,
): void {
  if (completed?.outcome !== 'completed') return;
  const { disabled } = completed;
  if (disabled !== null) emit({ type: 'webhook.disabled', accountId, webhookId, reason: disabled });
  if (outcome.kind !== 'failed') return;
  emit({ type: 'delivery.dead', accountId, webhookId, deliveryId, reason: outcome.reason });
}

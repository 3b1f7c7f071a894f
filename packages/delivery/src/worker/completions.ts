import type { DeliveryContext, Timers } from '@latchhook/core/delivery';
import type {
  AttemptEnd,
  CompletedAttempt,
  CompleteLimits,
  DeliveryStore,
} from '@latchhook/core/storage';
import { emitUnreported } from './emit-unreported.ts';

/**
 * How many attempts one call completes at most: a script or a statement accepts no more than some thousands of
 * arguments.
 */
const MAX_BATCH = 1_000;
/** The delay before the store is called again, ms. */
const RETRY_MS = 1_000;

/** An attempt that has ended, to be completed in the store. */
export interface Ended {
  readonly end: AttemptEnd;
  /**
   * By the monotonic clock, ms. A little earlier than by the store's clock because it is measured from before the
   * claim.
   */
  readonly leaseEndsAtMs: number;
}

export interface CompletionsDeps {
  readonly store: Pick<DeliveryStore, 'complete'>;
  readonly limits: CompleteLimits;
  readonly emit: DeliveryContext['emit'];
  readonly timers: Timers;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  /** Called when the worker may claim more: right after the store was called, and once it is available again. */
  readonly onClaimable: () => void;
  /**
   * Called once these attempts are completed in the store. Called with an empty list once completions are no longer
   * retried because the leases of all remaining attempts have ended.
   */
  readonly onSettled: (ends: readonly AttemptEnd[]) => void;
}

/**
 * Completes attempts in the store. Those that end in the same turn of the event loop share one call. If the store is
 * unavailable, the call is retried until their leases end, after which they count as stalled.
 */
export class Completions {
  readonly #deps: CompletionsDeps;
  #ended: Ended[] = [];
  /** The attempts whose completion failed. They are retried together. */
  #retrying: Ended[] = [];
  #pending = 0;
  #isFailing = false;
  /** While completions fail: whether the worker may claim one attempt, as it has claimed none since the last retry. */
  #mayClaimOne = false;
  #isFlushing = false;
  #isClosed = false;

  constructor(deps: CompletionsDeps) {
    this.#deps = deps;
  }

  /** Whether every attempt that has ended is completed in the store. */
  get isIdle(): boolean {
    return this.#pending === 0 && this.#ended.length === 0 && this.#retrying.length === 0;
  }

  /**
   * How many attempts the worker may claim. An attempt whose completion fails may be sent again once its lease has
   * ended. So while completions fail, the worker claims only one attempt after each retry. If only some accounts fail,
   * as with one partition of a cluster, the limit ends when an attempt of another account is completed.
   */
  get claimLimit(): number {
    if (!this.#isFailing) return Number.POSITIVE_INFINITY;
    return this.#mayClaimOne ? 1 : 0;
  }

  /** Call it before a claim of at most {@link claimLimit} attempts. */
  onClaim(): void {
    this.#mayClaimOne = false;
  }

  add(...ended: readonly Ended[]): void {
    if (this.#isClosed) return;
    this.#ended.push(...ended);
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => void this.#flush());
  }

  /** Makes no further calls because the client of the store may be closed. */
  close(): void {
    this.#isClosed = true;
    this.#ended = [];
    this.#retrying = [];
  }

  /** Never rejects. */
  async #flush(): Promise<void> {
    const ended = this.#ended.splice(0, MAX_BATCH);
    this.#isFlushing = false;
    if (ended.length === 0) return;
    if (this.#ended.length > 0) this.#flushSoon();
    this.#pending += 1;
    const ends = ended.map(({ end }) => end);
    const completing = this.#complete(ends);
    this.#deps.onClaimable();
    const completed = await completing;
    this.#pending -= 1;
    const settled: AttemptEnd[] = [];
    const unavailable: Ended[] = [];
    for (const [i, each] of ended.entries()) {
      const outcome = completed[i];
      if (outcome?.outcome === 'unavailable') {
        unavailable.push(each);
      } else {
        settled.push(each.end);
        this.#report(each.end, outcome);
      }
    }
    if (unavailable.length > 0) this.#retryLater(unavailable);
    if (settled.length > 0) {
      this.#recover();
      this.#deps.onSettled(settled);
    }
  }

  /** Never rejects. Emits each fault of the store once. */
  async #complete(ends: readonly AttemptEnd[]): Promise<readonly CompletedAttempt[]> {
    const { store, limits, emit } = this.#deps;
    try {
      const completed: unknown = await store.complete(ends, limits);
      if (!Array.isArray(completed) || completed.length !== ends.length) {
        throw new TypeError('complete must resolve to a list with an outcome for each attempt');
      }
      const outcomes: readonly CompletedAttempt[] = completed;
      const failed = outcomes.filter((each) => each.outcome === 'unavailable');
      for (const error of new Set(failed.map(({ error }) => error))) emitUnreported(emit, error);
      return outcomes;
    } catch (error) {
      emitUnreported(emit, error);
      return ends.map(() => ({ outcome: 'unavailable', error }));
    }
  }

  #retryLater(ended: readonly Ended[]): void {
    this.#isFailing = true;
    if (this.#isClosed) return;
    if (this.#retrying.length === 0) this.#deps.timers.after(RETRY_MS, () => this.#retry());
    this.#retrying.push(...ended);
  }

  #retry(): void {
    const nowMs = this.#deps.nowMs();
    const leased = this.#retrying.filter(({ leaseEndsAtMs }) => nowMs < leaseEndsAtMs);
    this.#retrying = [];
    if (leased.length > 0 && !this.#isClosed) {
      this.add(...leased);
      this.#mayClaimOne = this.#isFailing;
      return;
    }
    this.#recover();
    this.#deps.onSettled([]);
  }

  #recover(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#mayClaimOne = false;
    this.#deps.onClaimable();
  }

  #report(
    { accountId, webhookId, deliveryId, outcome }: AttemptEnd,
    completed: CompletedAttempt | undefined,
  ): void {
    if (completed?.outcome !== 'completed') return;
    const { emit } = this.#deps;
    const { disabled } = completed;
    if (disabled !== null) {
      emit({ type: 'webhook.disabled', accountId, webhookId, reason: disabled });
    }
    if (outcome.kind !== 'failed') return;
    emit({ type: 'delivery.dead', accountId, webhookId, deliveryId, reason: outcome.reason });
  }
}

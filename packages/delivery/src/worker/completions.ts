import type { DeliveryContext, Timers } from '@latchhook/core/delivery';
import type {
  AttemptEnd,
  CompletedAttempt,
  CompleteLimits,
  DeliveryStore,
} from '@latchhook/core/storage';
import { emitUnreported } from './emit-unreported.ts';

/** How many ends the store is told at once at most: a script or a statement takes no more than some thousands. */
const MOST_AT_ONCE = 1_000;
/** How long to wait until the store is told again, ms. */
const REPEAT_MS = 1_000;

/** An attempt that has ended, and of which the store is to be told. */
export interface Ended {
  readonly end: AttemptEnd;
  /** By the monotonic clock, ms: a little earlier than by the store's. */
  readonly leaseEndsAtMs: number;
}

export interface CompletionsDeps {
  readonly store: Pick<DeliveryStore, 'complete'>;
  readonly limits: CompleteLimits;
  readonly emit: DeliveryContext['emit'];
  readonly timers: Timers;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  /** Called when the store may be asked for more: right after it was told, and once it can be told again. */
  readonly onClaimable: () => void;
  /** Called once the store has answered of these, or nothing more is to be told of them. */
  readonly onSettled: (ends: readonly AttemptEnd[]) => void;
}

/**
 * Tells the store how attempts ended: together of all that end in a turn of the event loop, and again until their
 * leases are over, from when on they count as lost.
 */
export class Completions {
  readonly #deps: CompletionsDeps;
  #ended: Ended[] = [];
  /** What the store is told again, all together. */
  #untold: Ended[] = [];
  #pending = 0;
  #isFailing = false;
  #isFlushing = false;
  #isClosed = false;

  constructor(deps: CompletionsDeps) {
    this.#deps = deps;
  }

  /** Whether the store knows of all that has ended. */
  get isIdle(): boolean {
    return this.#pending === 0 && this.#ended.length === 0 && this.#untold.length === 0;
  }

  /** Whether the store could not be told of the last ends: what is sent meanwhile may be sent twice. */
  get isFailing(): boolean {
    return this.#isFailing;
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

  /** Tells the store nothing more: its client may be closed. */
  close(): void {
    this.#isClosed = true;
    this.#ended = [];
    this.#untold = [];
  }

  /** Never rejects. */
  async #flush(): Promise<void> {
    const ended = this.#ended.splice(0, MOST_AT_ONCE);
    this.#isFlushing = false;
    if (ended.length === 0) return;
    if (this.#ended.length > 0) this.#flushSoon();
    this.#pending += 1;
    const ends = ended.map(({ end }) => end);
    const completing = this.#complete(ends);
    this.#deps.onClaimable();
    const completed = await completing;
    this.#pending -= 1;
    const told: AttemptEnd[] = [];
    const untold: Ended[] = [];
    for (const [nth, each] of ended.entries()) {
      const answer = completed[nth];
      if (answer?.outcome === 'unavailable') {
        untold.push(each);
      } else {
        told.push(each.end);
        this.#report(each.end, answer);
      }
    }
    if (untold.length > 0) this.#tellLater(untold);
    else this.#recover();
    if (told.length > 0) this.#deps.onSettled(told);
  }

  /** Never rejects. Reports what the store fails with, each fault once. */
  async #complete(ends: readonly AttemptEnd[]): Promise<readonly CompletedAttempt[]> {
    const { store, limits, emit } = this.#deps;
    try {
      const completed: unknown = await store.complete(ends, limits);
      if (!Array.isArray(completed) || completed.length !== ends.length) {
        throw new TypeError('complete answered no list as long as what it was given');
      }
      const answers: readonly CompletedAttempt[] = completed;
      const failed = answers.filter((answer) => answer.outcome === 'unavailable');
      for (const error of new Set(failed.map(({ error }) => error))) emitUnreported(emit, error);
      return answers;
    } catch (error) {
      emitUnreported(emit, error);
      return ends.map(() => ({ outcome: 'unavailable', error }));
    }
  }

  #tellLater(ended: readonly Ended[]): void {
    this.#isFailing = true;
    if (this.#isClosed) return;
    if (this.#untold.length === 0) this.#deps.timers.after(REPEAT_MS, () => this.#repeat());
    this.#untold.push(...ended);
  }

  #repeat(): void {
    const nowMs = this.#deps.nowMs();
    const held = this.#untold.filter(({ leaseEndsAtMs }) => nowMs < leaseEndsAtMs);
    this.#untold = [];
    if (held.length > 0 && !this.#isClosed) {
      this.add(...held);
      return;
    }
    this.#recover();
    this.#deps.onSettled([]);
  }

  #recover(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
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

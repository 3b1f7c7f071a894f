import { isRetryNext, type QueueState } from '../../decisions/queue-state.ts';
import type { AccountRows } from './account-rows.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';

/** A delivery, and its queue without it. */
interface TakenDelivery {
  readonly delivery: StoredDelivery;
  readonly queue: QueueState;
}

/**
 * The deliveries at the head of a webhook's queue: those that wait for a retry, and those that wait for their first
 * attempt. Of both, as many are read as may start, and one more to show whether any remain.
 */
export class QueueHead {
  readonly #retries: StoredDelivery[];
  readonly #fresh: StoredDelivery[];
  /** Whether all retries of the webhook were read. */
  readonly #hasAllRetries: boolean;
  /** Whether more deliveries may wait behind expired ones, which later calls delete. */
  readonly #isCut: boolean;

  private constructor(
    { rows }: AccountRows,
    limit: number,
    { retries, fresh }: Record<'retries' | 'fresh', readonly StoredDelivery[]>,
  ) {
    this.#retries = [...retries];
    this.#fresh = [...fresh];
    this.#hasAllRetries = retries.length < limit && !rows.isCut;
    this.#isCut = rows.isCut;
  }

  static async read(account: AccountRows, { queueId, queue }: StoredWebhook, count: number) {
    const page = { limit: count + 1 };
    const hasFresh = queue.lastTaken < queue.lastSequence;
    const retries = queue.retries > 0 ? await account.deliveries('retry', queueId, page) : [];
    const fresh = hasFresh ? await account.deliveries('fresh', queueId, page) : [];
    return new QueueHead(account, page.limit, { retries, fresh });
  }

  /**
   * Takes the next delivery: first a returned one, without an `atMs`; then alternately due retries and first attempts.
   */
  take(queue: QueueState, nowMs: number): TakenDelivery | null {
    const [retry] = this.#retries;
    const [fresh] = this.#fresh;
    if (retry !== undefined) {
      const atMs = retryAtMs(retry);
      if (atMs === null) return this.#takeRetry(retry, queue, queue.wasRetryLast);
      const isNext = isRetryNext(queue, fresh !== undefined);
      if (isNext && atMs <= nowMs) return this.#takeRetry(retry, queue, true);
    }
    if (fresh === undefined) return null;
    this.#fresh.shift();
    return {
      delivery: fresh,
      queue: { ...queue, wasRetryLast: false, lastTaken: fresh.sequence },
    };
  }

  #takeRetry(delivery: StoredDelivery, queue: QueueState, wasRetryLast: boolean): TakenDelivery {
    this.#retries.shift();
    return { delivery, queue: { ...queue, wasRetryLast, retries: queue.retries - 1 } };
  }

  /** Subtracts expired deliveries, which the engine has deleted, from the counts of the queue. */
  correctCounts(queue: QueueState): QueueState {
    return {
      ...queue,
      retries: this.#hasAllRetries ? this.#retries.length : queue.retries,
      lastTaken: this.#fresh.length === 0 && !this.#isCut ? queue.lastSequence : queue.lastTaken,
    };
  }

  /** The head of the queue after the deliveries that were taken. */
  remaining(nowMs: number): { readonly hasHead: boolean; readonly nextRetryAtMs: number | null } {
    const [retry] = this.#retries;
    if (this.#fresh.length > 0 || this.#isCut) return { hasHead: true, nextRetryAtMs: null };
    if (retry === undefined) return { hasHead: false, nextRetryAtMs: null };
    const nextRetryAtMs = retryAtMs(retry);
    return { hasHead: nextRetryAtMs === null || nextRetryAtMs <= nowMs, nextRetryAtMs };
  }
}

function retryAtMs({ wait }: StoredDelivery): number | null {
  return wait?.for === 'retry' ? wait.atMs : null;
}

import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import type { WebhookKeys } from './webhook-keyspace.ts';

/** The interval at which a partition with nothing due is polled, ms: notifications may be missed. */
const POLL_MS = 1_000;
/** The backoff for a failing partition, ms: each call to it may wait until its deadline. */
const FAILURE_BACKOFF_MS = 5_000;

export type ClaimFrom = (keys: WebhookKeys, request: ClaimRequest) => Promise<Claim>;

/** What this process knows of a partition: when something in it is due, and whether it is failing. */
export class Partition {
  readonly keys: WebhookKeys;
  readonly #claim: ClaimFrom;
  /** When the next delivery that this process knows of is due, by the monotonic clock, ms. */
  #dueAtMs = 0;
  /** When the next poll, or the next probe of a failing partition, is due, by the monotonic clock, ms. */
  #checkAtMs = 0;
  #isFailing = false;
  #probe: Promise<void> | null = null;
  /** Poisoned deliveries that a probe has found, for the next claim to return. */
  #poisoned: Claim['poisoned'] = [];

  constructor(keys: WebhookKeys, claim: ClaimFrom) {
    this.keys = keys;
    this.#claim = claim;
  }

  /** Whether it has failed, or may have failed together with another. Then nothing is claimed from it. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** The pending probe; `null`: there is none. */
  get probe(): Promise<void> | null {
    return this.#probe;
  }

  /**
   * When to call it next, by the monotonic clock, ms. A later poll does not count: it need not wake the caller, which
   * polls too.
   */
  nextAtMs(nowMs: number): number {
    if (this.#probe !== null) return Number.POSITIVE_INFINITY;
    return this.#isFailing || this.#checkAtMs <= nowMs ? this.#checkAtMs : this.#dueAtMs;
  }

  /** Something in it is due. */
  notify(): void {
    this.#dueAtMs = 0;
  }

  async claim(request: ClaimRequest, nowMs: number): Promise<Pick<Claim, 'attempts' | 'poisoned'>> {
    // Reset before the call, so that a notification that arrives during the call is not overwritten.
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    try {
      const { attempts, poisoned, nextInMs } = await this.#claim(this.keys, request);
      if (nextInMs !== null) this.#dueAtMs = Math.min(this.#dueAtMs, nowMs + nextInMs);
      this.#checkAtMs = performance.now() + POLL_MS;
      const found = this.#poisoned;
      this.#poisoned = [];
      return { attempts, poisoned: [...found, ...poisoned] };
    } catch (error) {
      this.#isFailing = true;
      this.#checkAtMs = performance.now() + FAILURE_BACKOFF_MS;
      throw error;
    }
  }

  /** It may have failed together with another, so a probe is due. */
  suspect(): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#checkAtMs = 0;
  }

  /** Claims nothing from it, to see whether it answers: then it is no longer failing. */
  startProbe(request: ClaimRequest): void {
    const probe = this.#claim(this.keys, { ...request, limit: 0 }).then(
      ({ poisoned }) => {
        this.#probe = null;
        this.#isFailing = false;
        this.#dueAtMs = 0;
        this.#checkAtMs = performance.now() + POLL_MS;
        this.#poisoned = [...this.#poisoned, ...poisoned];
      },
      (error) => {
        this.#probe = null;
        this.#checkAtMs = performance.now() + FAILURE_BACKOFF_MS;
        throw error;
      },
    );
    // Not every probe is waited for.
    probe.catch(() => {});
    this.#probe = probe;
  }
}

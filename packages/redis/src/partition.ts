import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import type { WebhookKeys } from './webhook-keyspace.ts';

/** The interval at which a partition with nothing due is polled, ms: notifications may be missed. */
const POLL_MS = 1_000;
/** The delay before a failed partition is probed, ms: each call to it may wait until its deadline. */
const PROBE_DELAY_MS = 5_000;

export type ClaimFrom = (keys: WebhookKeys, request: ClaimRequest) => Promise<Claim>;

/** What this process knows of a partition: when something in it is due, and whether it is suspended. */
export class Partition {
  readonly keys: WebhookKeys;
  readonly #claim: ClaimFrom;
  /** When the next delivery that this process knows of is due, by the monotonic clock, ms. */
  #dueAtMs = 0;
  /** When the next poll is due, by the monotonic clock, ms. */
  #pollAtMs = 0;
  /** When the next probe is due, by the monotonic clock, ms; `null`: the partition is not suspended. */
  #probeAtMs: number | null = null;
  #probe: Promise<void> | null = null;
  /** Poisoned deliveries that a probe has found, for the next claim to return. */
  #poisoned: Claim['poisoned'] = [];

  constructor(keys: WebhookKeys, claim: ClaimFrom) {
    this.keys = keys;
    this.#claim = claim;
  }

  /** Whether nothing is claimed from it before a probe succeeds, because it has failed, or another one has. */
  get isSuspended(): boolean {
    return this.#probeAtMs !== null;
  }

  /** The pending probe; `null`: there is none. */
  get probe(): Promise<void> | null {
    return this.#probe;
  }

  /**
   * When the caller must wake up for this partition, by the monotonic clock, ms. A poll that is still ahead is no
   * reason to: the caller's own polls are as frequent, and one of them will find this poll overdue.
   */
  wakeAtMs(nowMs: number): number {
    if (this.#probe !== null) return Number.POSITIVE_INFINITY;
    if (this.#probeAtMs !== null) return this.#probeAtMs;
    return this.#pollAtMs <= nowMs ? this.#pollAtMs : this.#dueAtMs;
  }

  /** Something in it is due. */
  notify(): void {
    this.#dueAtMs = 0;
  }

  async claim(
    request: ClaimRequest,
    startedMs: number,
  ): Promise<Pick<Claim, 'attempts' | 'poisoned'>> {
    // Reset before the call, so that a notification that arrives during the call is not overwritten.
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    try {
      const { attempts, poisoned, nextInMs } = await this.#claim(this.keys, request);
      if (nextInMs !== null) this.#dueAtMs = Math.min(this.#dueAtMs, startedMs + nextInMs);
      this.#pollAtMs = performance.now() + POLL_MS;
      const found = this.#poisoned;
      this.#poisoned = [];
      return { attempts, poisoned: [...found, ...poisoned] };
    } catch (error) {
      this.#probeAtMs = performance.now() + PROBE_DELAY_MS;
      throw error;
    }
  }

  /** Another partition has failed, and this one may have failed with it. A probe is due at once. */
  suspend(): void {
    this.#probeAtMs ??= 0;
  }

  /** Claims nothing from it, to see whether it answers: then it is no longer suspended. */
  startProbe(request: ClaimRequest): void {
    const probe = this.#claim(this.keys, { ...request, limit: 0 }).then(
      ({ poisoned }) => {
        this.#probe = null;
        this.#probeAtMs = null;
        this.#dueAtMs = 0;
        this.#pollAtMs = performance.now() + POLL_MS;
        this.#poisoned = [...this.#poisoned, ...poisoned];
      },
      (error) => {
        this.#probe = null;
        this.#probeAtMs = performance.now() + PROBE_DELAY_MS;
        throw error;
      },
    );
    // A claim may not wait for this probe.
    probe.catch(() => {});
    this.#probe = probe;
  }
}

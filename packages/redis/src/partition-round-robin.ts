import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import { dueChannel, type WebhookKeys } from './webhook-keyspace.ts';

/** The interval at which a partition with nothing due is polled, ms, as notifications may be missed. */
const POLL_MS = 1_000;
/** The backoff for a failing partition, ms, as each call to it may wait until its deadline. */
const FAILURE_BACKOFF_MS = 5_000;

interface Partition {
  readonly keys: WebhookKeys;
  /** When something is due, as far as this process knows, by the monotonic clock. */
  nextAtMs: number;
  /** When the partition is polled in any case, by the monotonic clock. */
  pollAtMs: number;
  isFailing: boolean;
}

/**
 * Claims from the partitions round-robin. Each claim returns the attempts of the first partition with anything due, and
 * the next claim begins with the partition after that one. Partitions in which something may be due come before the
 * others. A claim that returns nothing has tried all partitions except failing ones.
 */
export class PartitionRoundRobin {
  readonly #partitions: readonly Partition[];
  readonly #claim: (keys: WebhookKeys, request: ClaimRequest) => Promise<Claim>;
  #nextIndex = 0;

  constructor(
    partitions: readonly WebhookKeys[],
    claim: (keys: WebhookKeys, request: ClaimRequest) => Promise<Claim>,
  ) {
    this.#partitions = partitions.map((keys) => ({
      keys,
      nextAtMs: 0,
      pollAtMs: 0,
      isFailing: false,
    }));
    this.#claim = claim;
  }

  /** Records that something is due in the partition with this channel. */
  notify(channel: string): void {
    const partition = this.#partitions.find(({ keys }) => dueChannel(keys) === channel);
    if (partition !== undefined) partition.nextAtMs = 0;
  }

  /** Rejects only if every partition fails. */
  async claim(request: ClaimRequest): Promise<Claim> {
    const nowMs = performance.now();
    let failure: unknown;
    let successes = 0;
    for (const partition of this.#inClaimOrder(nowMs)) {
      const claim = await this.#claimFrom(partition, request, nowMs).catch((error: unknown) => {
        failure = error;
      });
      if (claim === undefined) continue;
      successes += 1;
      if (claim.attempts.length === 0 && claim.poisoned.length === 0) continue;
      this.#nextIndex = this.#partitions.indexOf(partition) + 1;
      return { ...claim, nextInMs: this.#nextInMs(nowMs) };
    }
    if (successes === 0) throw failure;
    return { attempts: [], poisoned: [], nextInMs: this.#nextInMs(nowMs) };
  }

  async #claimFrom(partition: Partition, request: ClaimRequest, nowMs: number): Promise<Claim> {
    // Reset before the call, so that a notification that arrives during the call is not overwritten.
    partition.nextAtMs = Number.POSITIVE_INFINITY;
    partition.pollAtMs = Number.POSITIVE_INFINITY;
    try {
      const claim = await this.#claim(partition.keys, request);
      partition.isFailing = false;
      const nextAtMs = nowMs + (claim.nextInMs ?? Number.POSITIVE_INFINITY);
      partition.nextAtMs = Math.min(partition.nextAtMs, nextAtMs);
      partition.pollAtMs = nowMs + POLL_MS;
      return claim;
    } catch (error) {
      partition.isFailing = true;
      partition.pollAtMs = nowMs + FAILURE_BACKOFF_MS;
      throw error;
    }
  }

  #inClaimOrder(nowMs: number): readonly Partition[] {
    const partitions = this.#partitions;
    const start = this.#nextIndex % partitions.length;
    const rotated = [...partitions.slice(start), ...partitions.slice(0, start)];
    const mayBeDue = ({ nextAtMs, pollAtMs }: Partition) => Math.min(nextAtMs, pollAtMs) <= nowMs;
    const candidates = [
      ...rotated.filter(mayBeDue),
      ...rotated.filter((partition) => !mayBeDue(partition) && !partition.isFailing),
    ];
    return candidates.length > 0 ? candidates : rotated;
  }

  #nextInMs(nowMs: number): number | null {
    const nextAtMs = Math.min(
      ...this.#partitions.map(({ nextAtMs, pollAtMs, isFailing }) =>
        isFailing || pollAtMs <= nowMs ? Math.min(nextAtMs, pollAtMs) : nextAtMs,
      ),
    );
    return nextAtMs === Number.POSITIVE_INFINITY ? null : Math.max(0, Math.round(nextAtMs - nowMs));
  }
}

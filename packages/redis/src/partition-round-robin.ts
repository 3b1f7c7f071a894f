import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import { type ClaimFrom, Partition } from './partition.ts';
import { dueChannel, type WebhookKeys } from './webhook-keyspace.ts';

/** After this time a claim tries no further partition, ms. So the caller waits not much longer than one deadline. */
const MAX_CLAIM_MS = 250;
/** How many partitions are probed together while all are failing, so that an outage does not cause many commands. */
const MAX_PROBES = 8;

/**
 * Claims from the partitions round-robin. Each claim returns the attempts of the first partition with anything due, and
 * the next claim begins with the partition after that one. Partitions in which something may be due come before the
 * others.
 *
 * A silent node of a cluster has many partitions, and each call to one lasts until its deadline. So after one failure
 * all partitions are probed in parallel, by claims that lease nothing, and only those that answer are claimed from. The
 * failing ones are probed again while the others are claimed from.
 */
export class PartitionRoundRobin {
  readonly #partitions: readonly Partition[];
  #nextIndex = 0;

  constructor(partitions: readonly WebhookKeys[], claim: ClaimFrom) {
    this.#partitions = partitions.map((keys) => new Partition(keys, claim));
  }

  /** Records that something is due in the partition with this channel. */
  notify(channel: string): void {
    this.#partitions.find(({ keys }) => dueChannel(keys) === channel)?.notify();
  }

  /** Rejects only if every partition fails. */
  async claim(request: ClaimRequest): Promise<Claim> {
    const startedMs = performance.now();
    if (this.#allFail()) this.#probeFirst(request);
    else this.#probeDue(request);
    for (;;) {
      if (this.#allFail()) await this.#firstAnswer();
      try {
        return await this.#claimFromNext(request, startedMs);
      } catch (error) {
        // The partition that has failed is not probed before its backoff ends, or it could fail at every claim.
        for (const partition of this.#partitions) partition.suspect();
        this.#probeDue(request);
        // Waits for slower partitions too: if one answers only after this claim, nothing notifies the worker.
        await Promise.race([Promise.allSettled(this.#probes()), elapsed(MAX_CLAIM_MS)]);
        if (this.#allFail() && this.#probes().length === 0) throw error;
      }
    }
  }

  async #claimFromNext(request: ClaimRequest, startedMs: number): Promise<Claim> {
    for (const partition of this.#inClaimOrder()) {
      if (performance.now() - startedMs > MAX_CLAIM_MS) break;
      const { attempts, poisoned } = await partition.claim(request, startedMs);
      if (attempts.length === 0 && poisoned.length === 0) continue;
      this.#nextIndex = this.#partitions.indexOf(partition) + 1;
      return { attempts, poisoned, nextInMs: this.#nextInMs(startedMs) };
    }
    return { attempts: [], poisoned: [], nextInMs: this.#nextInMs(startedMs) };
  }

  #inClaimOrder(): readonly Partition[] {
    const start = this.#nextIndex % this.#partitions.length;
    const rotated = [...this.#partitions.slice(start), ...this.#partitions.slice(0, start)];
    const healthy = rotated.filter(({ isFailing }) => !isFailing);
    const nowMs = performance.now();
    const mayBeDue = healthy.filter((partition) => partition.nextAtMs(nowMs) <= nowMs);
    return [...mayBeDue, ...healthy.filter((partition) => !mayBeDue.includes(partition))];
  }

  #nextInMs(nowMs: number): number | null {
    const nextAtMs = Math.min(...this.#partitions.map((partition) => partition.nextAtMs(nowMs)));
    const inMs = Math.max(0, Math.round(nextAtMs - nowMs));
    return inMs === Number.POSITIVE_INFINITY ? null : inMs;
  }

  #allFail(): boolean {
    return this.#partitions.every(({ isFailing }) => isFailing);
  }

  #probes(): readonly Promise<void>[] {
    return this.#partitions.flatMap(({ probe }) => probe ?? []);
  }

  /** Waits for a probe that succeeds. Throws the error of a probe if none does. */
  async #firstAnswer(): Promise<void> {
    await Promise.any(this.#probes()).catch(({ errors: [first] }: AggregateError) => {
      throw first;
    });
  }

  /** Probes the failing partitions whose backoff has ended. */
  #probeDue(request: ClaimRequest): void {
    const nowMs = performance.now();
    for (const partition of this.#failingWithoutProbe(nowMs))
      if (partition.nextAtMs(nowMs) <= nowMs) partition.startProbe(request);
  }

  /** Probes some failing partitions even before their backoff ends. */
  #probeFirst(request: ClaimRequest): void {
    const failing = this.#failingWithoutProbe(performance.now());
    for (const partition of failing.slice(0, MAX_PROBES)) partition.startProbe(request);
  }

  /** The failing partitions without a pending probe, in the order in which their backoffs end. */
  #failingWithoutProbe(nowMs: number): readonly Partition[] {
    return this.#partitions
      .filter(({ isFailing, probe }) => isFailing && probe === null)
      .sort((a, b) => a.nextAtMs(nowMs) - b.nextAtMs(nowMs));
  }
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

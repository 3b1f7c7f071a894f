import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import { type ClaimFrom, Partition } from './partition.ts';
import { dueChannel, type WebhookKeys } from './webhook-keyspace.ts';

/** After this time a claim tries no other partition, ms. So the caller waits little longer than for one deadline. */
const MAX_CLAIM_MS = 250;
/** How many partitions a claim probes while all are suspended, so that an outage does not cause many commands. */
const MAX_PROBES = 8;

/**
 * Claims from the partitions round-robin. Each claim returns the attempts of the first partition with anything due, and
 * the next claim begins with the partition after that one. Partitions in which something may be due come before the
 * others.
 *
 * A node of a cluster that no longer answers has many partitions, and each call to one lasts until its deadline. So
 * after one failure all partitions are suspended and probed in parallel, by claims that lease nothing. A partition that
 * answers is claimed from again; the others are probed again later, during other claims.
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
    if (this.#areAllSuspended()) this.#probeSome(request);
    else this.#probeDue(request);
    for (;;) {
      if (this.#areAllSuspended()) await this.#firstAnswer();
      try {
        return await this.#claimFromNext(request, startedMs);
      } catch (error) {
        // Probes the others at once, but the failed one only after a delay, or it could fail at every claim.
        for (const partition of this.#partitions) partition.suspend();
        this.#probeDue(request);
        // Waits for slower partitions too: if one answers only after this claim, nothing notifies the worker.
        await Promise.race([Promise.allSettled(this.#probes()), elapsed(MAX_CLAIM_MS)]);
        if (this.#areAllSuspended() && this.#probes().length === 0) throw error;
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
    const healthy = rotated.filter(({ isSuspended }) => !isSuspended);
    const nowMs = performance.now();
    const mayBeDue = healthy.filter((partition) => partition.wakeAtMs(nowMs) <= nowMs);
    return [...mayBeDue, ...healthy.filter((partition) => !mayBeDue.includes(partition))];
  }

  /** The time from the start of the claim to the next one, ms. */
  #nextInMs(startedMs: number): number | null {
    const wakeAtMs = this.#partitions.map((partition) => partition.wakeAtMs(startedMs));
    const inMs = Math.max(0, Math.round(Math.min(...wakeAtMs) - startedMs));
    return inMs === Number.POSITIVE_INFINITY ? null : inMs;
  }

  #areAllSuspended(): boolean {
    return this.#partitions.every(({ isSuspended }) => isSuspended);
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

  /** Probes the suspended partitions whose probe is due. */
  #probeDue(request: ClaimRequest): void {
    const nowMs = performance.now();
    for (const partition of this.#suspendedWithoutProbe(nowMs))
      if (partition.wakeAtMs(nowMs) <= nowMs) partition.startProbe(request);
  }

  /** Probes some suspended partitions, even those whose probe is not due yet. */
  #probeSome(request: ClaimRequest): void {
    const suspended = this.#suspendedWithoutProbe(performance.now());
    for (const partition of suspended.slice(0, MAX_PROBES)) partition.startProbe(request);
  }

  /** The suspended partitions without a pending probe, in the order in which their probes are due. */
  #suspendedWithoutProbe(nowMs: number): readonly Partition[] {
    return this.#partitions
      .filter(({ isSuspended, probe }) => isSuspended && probe === null)
      .sort((a, b) => a.wakeAtMs(nowMs) - b.wakeAtMs(nowMs));
  }
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import { dueChannel, type WebhookKeys } from './webhook-keyspace.ts';

/** The interval at which a partition with nothing due is polled, ms: notifications may be missed. */
const POLL_MS = 1_000;
/** The backoff for a failing partition, ms: each call to it may wait until its deadline. */
const FAILURE_BACKOFF_MS = 5_000;
/** After this time a claim tries no further partition, ms. So the caller waits not much longer than one deadline. */
const MAX_CLAIM_MS = 250;
/** How many partitions are probed together while all are failing, so that an outage does not cause many commands. */
const MAX_PROBES = 8;

type ClaimOrFailure =
  | { readonly outcome: 'claimed'; readonly claim: Claim }
  | { readonly outcome: 'failed'; readonly error: unknown };

type ClaimFrom = (keys: WebhookKeys, request: ClaimRequest) => Promise<Claim>;

interface Partition {
  readonly keys: WebhookKeys;
  /** By the monotonic clock, when the next delivery that this process knows of is due. */
  nextAtMs: number;
  /** By the monotonic clock, when the next call checks the partition: a poll, or a probe if it is failing. */
  checkAtMs: number;
  /** Whether it has failed, or may have failed together with another. Then nothing is claimed from it. */
  isFailing: boolean;
  /** The pending probe; settles with its claim. */
  probe: Promise<void> | null;
}

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
  readonly #claim: ClaimFrom;
  #nextIndex = 0;
  /** Poisoned deliveries that a probe has found, for the next claim to return. */
  #poisoned: Claim['poisoned'] = [];

  constructor(partitions: readonly WebhookKeys[], claim: ClaimFrom) {
    this.#partitions = partitions.map((keys) => ({
      keys,
      nextAtMs: 0,
      checkAtMs: 0,
      isFailing: false,
      probe: null,
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
    const startedMs = performance.now();
    if (this.#allFail()) this.#probeFirst(request);
    else this.#probeDue(request);
    for (;;) {
      await this.#untilAnyAnswers();
      const result = await this.#claimFromNext(request, startedMs);
      if (result.outcome === 'claimed') return result.claim;
      // The partition that has failed is not probed before its backoff ends, or it could fail at every claim.
      this.#probeDue(request);
      const probes = this.#probes();
      if (this.#allFail() && probes.length === 0) throw result.error;
      // Waits for slower partitions too: if one answers only after this claim, nothing notifies the worker.
      await Promise.race([Promise.allSettled(probes), elapsed(MAX_CLAIM_MS)]);
    }
  }

  async #claimFromNext(request: ClaimRequest, startedMs: number): Promise<ClaimOrFailure> {
    for (const partition of this.#inClaimOrder()) {
      if (performance.now() - startedMs > MAX_CLAIM_MS) {
        // Partitions in which something may be due come first, so none of the others is due either.
        return this.#claimed([], mayBeDue(partition) ? 0 : this.#nextInMs(startedMs));
      }
      try {
        const { attempts, poisoned } = await this.#claimFrom(partition, request, startedMs);
        this.#poisoned = [...this.#poisoned, ...poisoned];
        if (attempts.length === 0 && poisoned.length === 0) continue;
        this.#nextIndex = this.#partitions.indexOf(partition) + 1;
        return this.#claimed(attempts, this.#nextInMs(startedMs));
      } catch (error) {
        return { outcome: 'failed', error };
      }
    }
    return this.#claimed([], this.#nextInMs(startedMs));
  }

  #claimed(attempts: Claim['attempts'], nextInMs: number | null): ClaimOrFailure {
    const poisoned = this.#poisoned;
    this.#poisoned = [];
    return { outcome: 'claimed', claim: { attempts, poisoned, nextInMs } };
  }

  /** If the partition fails, any other may have failed with it. */
  async #claimFrom(partition: Partition, request: ClaimRequest, nowMs: number): Promise<Claim> {
    // Reset before the call, so that a notification that arrives during the call is not overwritten.
    partition.nextAtMs = Number.POSITIVE_INFINITY;
    partition.checkAtMs = Number.POSITIVE_INFINITY;
    try {
      const claim = await this.#claim(partition.keys, request);
      const nextAtMs = nowMs + (claim.nextInMs ?? Number.POSITIVE_INFINITY);
      partition.nextAtMs = Math.min(partition.nextAtMs, nextAtMs);
      partition.checkAtMs = nowMs + POLL_MS;
      return claim;
    } catch (error) {
      for (const each of this.#partitions) {
        if (!each.isFailing) each.checkAtMs = nowMs;
        each.isFailing = true;
      }
      partition.checkAtMs = performance.now() + FAILURE_BACKOFF_MS;
      throw error;
    }
  }

  #allFail(): boolean {
    return this.#partitions.every(({ isFailing }) => isFailing);
  }

  #probes(): readonly Promise<void>[] {
    return this.#partitions.flatMap(({ probe }) => probe ?? []);
  }

  /** Probes the failing partitions whose backoff has ended. */
  #probeDue(request: ClaimRequest): void {
    const nowMs = performance.now();
    const due = this.#failingWithoutProbe().filter(({ checkAtMs }) => checkAtMs <= nowMs);
    for (const partition of due) this.#startProbe(partition, request);
  }

  /** Probes some failing partitions even before their backoff ends. */
  #probeFirst(request: ClaimRequest): void {
    const first = this.#failingWithoutProbe().slice(0, MAX_PROBES);
    for (const partition of first) this.#startProbe(partition, request);
  }

  /** The failing partitions without a pending probe, in the order in which their backoffs end. */
  #failingWithoutProbe(): readonly Partition[] {
    return this.#partitions
      .filter(({ isFailing, probe }) => isFailing && probe === null)
      .sort((a, b) => a.checkAtMs - b.checkAtMs);
  }

  /**
   * Waits until one of the partitions answers, if all are failing.
   *
   * @throws the error of a probe if none answers
   */
  async #untilAnyAnswers(): Promise<void> {
    if (!this.#allFail()) return;
    await Promise.any(this.#probes()).catch(({ errors: [first] }: AggregateError) => {
      throw first;
    });
  }

  #startProbe(partition: Partition, request: ClaimRequest): void {
    const probe = this.#claim(partition.keys, { ...request, limit: 0 }).then(({ poisoned }) => {
      partition.isFailing = false;
      partition.nextAtMs = 0;
      this.#poisoned = [...this.#poisoned, ...poisoned];
    });
    partition.probe = probe;
    partition.checkAtMs = Number.POSITIVE_INFINITY;
    const end = (): void => {
      partition.probe = null;
      partition.checkAtMs =
        performance.now() + (partition.isFailing ? FAILURE_BACKOFF_MS : POLL_MS);
    };
    probe.then(end, end);
  }

  #inClaimOrder(): readonly Partition[] {
    const start = this.#nextIndex % this.#partitions.length;
    const rotated = [...this.#partitions.slice(start), ...this.#partitions.slice(0, start)];
    const healthy = rotated.filter(({ isFailing }) => !isFailing);
    return [...healthy.filter(mayBeDue), ...healthy.filter((partition) => !mayBeDue(partition))];
  }

  #nextInMs(nowMs: number): number | null {
    const nextAtMs = Math.min(
      ...this.#partitions.map(({ nextAtMs, checkAtMs, isFailing }) => {
        if (isFailing) return checkAtMs;
        return checkAtMs <= nowMs ? Math.min(nextAtMs, checkAtMs) : nextAtMs;
      }),
    );
    return nextAtMs === Number.POSITIVE_INFINITY ? null : Math.max(0, Math.round(nextAtMs - nowMs));
  }
}

function mayBeDue({ nextAtMs, checkAtMs }: Partition): boolean {
  return Math.min(nextAtMs, checkAtMs) <= performance.now();
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

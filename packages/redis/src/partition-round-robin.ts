import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import { dueChannel, type WebhookKeys } from './webhook-keyspace.ts';

/** How often a partition with nothing due is polled, ms, as notifications may be missed. */
const POLL_MS = 1_000;
/** The backoff for a partition that fails, ms, as each call to it may take until its deadline. */
const FAILURE_BACKOFF_MS = 5_000;

interface Partition {
  readonly keys: WebhookKeys;
  /** By the monotonic clock: when something is due as far as is known, and when it is polled in any case. */
  nextAtMs: number;
  pollAtMs: number;
  isFailing: boolean;
}

/**
 * Claims from the partitions round-robin. Each claim returns what the first partition with anything due yields, and the
 * next claim begins with the partition after it. Partitions in which something may be due are asked before the others;
 * a claim that returns nothing has asked all that do not fail.
 */
export class PartitionRoundRobin {
  readonly #partitions: readonly Partition[];
  readonly #claim: (keys: WebhookKeys, request: ClaimRequest) => Promise<Claim>;
  #next = 0;

  constructor(
    all: readonly WebhookKeys[],
    claim: (keys: WebhookKeys, request: ClaimRequest) => Promise<Claim>,
  ) {
    this.#partitions = all.map((keys) => ({ keys, nextAtMs: 0, pollAtMs: 0, isFailing: false }));
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
    let answers = 0;
    for (const partition of this.#inTurn(nowMs)) {
      const claimed = await this.#ask(partition, request, nowMs).catch((error: unknown) => {
        failure = error;
      });
      if (claimed === undefined) continue;
      answers += 1;
      if (claimed.attempts.length === 0 && claimed.poisoned.length === 0) continue;
      this.#next = this.#partitions.indexOf(partition) + 1;
      return { ...claimed, nextInMs: this.#nextInMs(nowMs) };
    }
    if (answers === 0) throw failure;
    return { attempts: [], poisoned: [], nextInMs: this.#nextInMs(nowMs) };
  }

  async #ask(partition: Partition, request: ClaimRequest, nowMs: number): Promise<Claim> {
    // Reset before the call, so that a notification that arrives meanwhile is kept.
    partition.nextAtMs = Number.POSITIVE_INFINITY;
    partition.pollAtMs = Number.POSITIVE_INFINITY;
    try {
      const claimed = await this.#claim(partition.keys, request);
      partition.isFailing = false;
      const nextAtMs = nowMs + (claimed.nextInMs ?? Number.POSITIVE_INFINITY);
      partition.nextAtMs = Math.min(partition.nextAtMs, nextAtMs);
      partition.pollAtMs = nowMs + POLL_MS;
      return claimed;
    } catch (error) {
      partition.isFailing = true;
      partition.pollAtMs = nowMs + FAILURE_BACKOFF_MS;
      throw error;
    }
  }

  #inTurn(nowMs: number): readonly Partition[] {
    const all = this.#partitions;
    const next = this.#next % all.length;
    const inTurn = [...all.slice(next), ...all.slice(0, next)];
    const mayHave = ({ nextAtMs, pollAtMs }: Partition) => Math.min(nextAtMs, pollAtMs) <= nowMs;
    const asked = [
      ...inTurn.filter(mayHave),
      ...inTurn.filter((each) => !mayHave(each) && !each.isFailing),
    ];
    return asked.length > 0 ? asked : inTurn;
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

import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import { dueChannel, type WebhookKeys } from './webhook-keyspace.ts';

/** A partition that has nothing is asked again after so long, ms: a notification may be missed. */
const ASKED_AGAIN_MS = 1_000;
/** One that fails is left alone for so long, ms: each call to it may take a whole deadline. */
const LEFT_ALONE_MS = 5_000;

interface Partition {
  readonly keys: WebhookKeys;
  /** By the monotonic clock: when it may have something, as far as is known; and when it is asked whatever is known. */
  nextAtMs: number;
  askAtMs: number;
  isFailing: boolean;
}

/**
 * Claims from one partition after the other: each claim is answered by the first that has something, and the next one
 * begins behind that. Partitions that may have something come before the others; a claim that answers nothing has asked
 * all of them.
 */
export class PartitionRoundRobin {
  readonly #partitions: readonly Partition[];
  readonly #claim: (keys: WebhookKeys, request: ClaimRequest) => Promise<Claim>;
  #turn = 0;

  constructor(
    all: readonly WebhookKeys[],
    claim: (keys: WebhookKeys, request: ClaimRequest) => Promise<Claim>,
  ) {
    this.#partitions = all.map((keys) => ({ keys, nextAtMs: 0, askAtMs: 0, isFailing: false }));
    this.#claim = claim;
  }

  /** Something of the partition with this channel is due. */
  notify(channel: string): void {
    const woken = this.#partitions.find(({ keys }) => dueChannel(keys) === channel);
    if (woken !== undefined) woken.nextAtMs = 0;
  }

  /** Fails where every partition does. */
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
      this.#turn = this.#partitions.indexOf(partition) + 1;
      return { ...claimed, nextInMs: this.#nextInMs(nowMs) };
    }
    if (answers === 0) throw failure;
    return { attempts: [], poisoned: [], nextInMs: this.#nextInMs(nowMs) };
  }

  async #ask(partition: Partition, request: ClaimRequest, nowMs: number): Promise<Claim> {
    // Before it answers: whatever wakes it meanwhile counts.
    partition.nextAtMs = Number.POSITIVE_INFINITY;
    partition.askAtMs = Number.POSITIVE_INFINITY;
    try {
      const claimed = await this.#claim(partition.keys, request);
      partition.isFailing = false;
      const nextAtMs = nowMs + (claimed.nextInMs ?? Number.POSITIVE_INFINITY);
      partition.nextAtMs = Math.min(partition.nextAtMs, nextAtMs);
      partition.askAtMs = nowMs + ASKED_AGAIN_MS;
      return claimed;
    } catch (error) {
      partition.isFailing = true;
      partition.askAtMs = nowMs + LEFT_ALONE_MS;
      throw error;
    }
  }

  #inTurn(nowMs: number): readonly Partition[] {
    const all = this.#partitions;
    const turn = this.#turn % all.length;
    const inTurn = [...all.slice(turn), ...all.slice(0, turn)];
    const mayHave = ({ nextAtMs, askAtMs }: Partition) => Math.min(nextAtMs, askAtMs) <= nowMs;
    const asked = [
      ...inTurn.filter(mayHave),
      ...inTurn.filter((each) => !mayHave(each) && !each.isFailing),
    ];
    return asked.length > 0 ? asked : inTurn;
  }

  #nextInMs(nowMs: number): number | null {
    const nextAtMs = Math.min(
      ...this.#partitions.map(({ nextAtMs, askAtMs, isFailing }) =>
        isFailing || askAtMs <= nowMs ? Math.min(nextAtMs, askAtMs) : nextAtMs,
      ),
    );
    return nextAtMs === Number.POSITIVE_INFINITY ? null : Math.max(0, Math.round(nextAtMs - nowMs));
  }
}

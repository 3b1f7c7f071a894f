import { AsyncResource } from 'node:async_hooks';
import { type Clock, monotonicMs } from '../ports/clock.ts';
import { systemTimers, type Timers } from '../ports/timers.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';

/**
 * The pause after each part, in multiples of the time that the part took: a client that changes its webhooks over and
 * over keeps the store and the engine of each process busy for a quarter of the time at most. It is still fast: 10,000
 * deliveries that waited by a limit of one a minute had all arrived 3 s after it was raised to 10,000 a second.
 */
const REST_PER_PART = 3;

/** Work that is done in parts, one for each `next()`. It is over once a part has failed. */
export type Parts = AsyncGenerator<void, void>;

export interface BacklogLineDeps {
  /** Durations are measured by it. */
  readonly clock: Clock;
  /** Default: Node's own. */
  readonly timers?: Timers;
  /** Called with the error of each part that failed. */
  readonly reportFault: (error: unknown) => void;
}

/** The work on one backlog. */
interface Work {
  readonly key: string;
  /** The work that was requested last, of which no part is done yet. */
  fresh: Parts | null;
  /** Work that had begun before. It goes on if the fresh work fails in its first part, so that the rest gets done. */
  begun: Parts | null;
}

/** An account with backlogs to be worked on: at least one. */
interface Account {
  readonly accountId: number;
  /** By key. First the one whose turn it is. */
  readonly works: Map<string, Work>;
}

/**
 * Works on backlogs in the background of this process, one part at a time: accounts take turns, and so do the backlogs of
 * one account.
 */
export class BacklogLine {
  readonly #deps: BacklogLineDeps;
  readonly #timers: Timers;
  /** By id. First the one whose turn it is. */
  readonly #accounts = new Map<number, Account>();
  /** The part under way, or the one after which the line rests; `null`: it is idle. */
  #part: Promise<void> | null = null;
  #endRest = (): void => {};
  #isClosed = false;
  /** In the async context of whoever made the line: the other parts belong to no request, and not all to one webhook. */
  readonly #goOnApart = AsyncResource.bind(() => this.#goOn());

  constructor(deps: BacklogLineDeps) {
    this.#deps = deps;
    this.#timers = deps.timers ?? systemTimers;
  }

  /**
   * Adds work. It replaces work for the same webhook under the same name as soon as it has begun: otherwise each
   * repeated request of a client would cause another walk over the whole backlog.
   *
   * @returns if the line is idle, once the first part is done; else at once. Never rejects: `reportFault` is called on failure.
   */
  async join({ accountId, webhookId }: WebhookRef, name: string, parts: Parts): Promise<void> {
    if (this.#isClosed) return;
    const account = this.#accounts.get(accountId) ?? { accountId, works: new Map<string, Work>() };
    this.#accounts.set(accountId, account);
    const key = `${name} ${webhookId}`;
    const work = account.works.get(key) ?? { key, fresh: null, begun: null };
    account.works.set(key, work);
    work.fresh = parts;
    if (this.#part === null) await this.#goOn();
  }

  /** Begins no more parts. Settles when none is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endRest();
    await this.#part;
  }

  /** @returns once one part is done; the others follow by themselves. */
  #goOn(): Promise<void> {
    const { clock } = this.#deps;
    const beganAtMs = monotonicMs(clock);
    const part = this.#doPart();
    this.#part = part;
    void part.then(() => this.#rest(REST_PER_PART * (monotonicMs(clock) - beganAtMs)));
    return part;
  }

  #rest(ms: number): void {
    if (this.#isClosed) return;
    const end = (): void => {
      this.#part = null;
      if (this.#accounts.size > 0) void this.#goOnApart();
    };
    if (ms > 0) this.#endRest = this.#timers.after(ms, end);
    else end();
  }

  async #doPart(): Promise<void> {
    const account = takeTurn(this.#accounts);
    const work = account && takeTurn(account.works);
    if (account === undefined || work === undefined) return;
    await this.#advance(work);
    if (work.fresh === null && work.begun === null) account.works.delete(work.key);
    if (account.works.size === 0) this.#accounts.delete(account.accountId);
  }

  /** Fresh work that joins meanwhile is left as it is. */
  async #advance(work: Work): Promise<void> {
    const { fresh } = work;
    const parts = fresh ?? work.begun;
    try {
      const isOver = (await parts?.next())?.done === true;
      work.begun = isOver ? null : parts;
    } catch (error) {
      // A generator that threw is over, and says so when it is asked again.
      this.#deps.reportFault(error);
    }
    if (work.fresh === fresh) work.fresh = null;
  }
}

/** Takes the first, and puts it last. */
function takeTurn<Key, Value>(turns: Map<Key, Value>): Value | undefined {
  for (const [key, value] of turns) {
    turns.delete(key);
    turns.set(key, value);
    return value;
  }
  return undefined;
}

import { type Clock, monotonicMs } from '../ports/clock.ts';
import { systemTimers, type Timers } from '../ports/timers.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';

/**
 * After each part the line rests for so many times as long as the part took: a client that changes its webhooks over and
 * over has each process ask store and engine for a quarter of the time at most. It is enough for one who means it: of
 * 10,000 that waited by a limit of one a minute, all had arrived 3 s after it was raised to 10,000 a second.
 */
const RESTS = 3;

/** Work that is done part by part, each when the next is asked for. Over where one has failed. */
export type Parts = AsyncGenerator<void, void>;

/** What the line needs, and nothing besides. */
export interface BacklogLineServices {
  /** Durations are measured by it. */
  readonly clock: Clock;
  /** Default: Node's own. */
  readonly timers?: Timers;
  /** Hears of each part that failed. */
  readonly tell: (error: unknown) => void;
}

/** The work on one backlog. */
interface Work {
  readonly key: string;
  /** The newest, of which no part was done yet. */
  fresh: Parts | null;
  /** What has begun before it: it goes on where the newest fails at once, which would else leave the rest undone. */
  begun: Parts | null;
}

/** Somebody whose backlogs are worked on; there always is one. */
interface Account {
  readonly accountId: number;
  /** By key. First the one whose turn it is. */
  readonly works: Map<string, Work>;
}

/**
 * What is done for backlogs behind the backs of clients, in this process. One part at a time: accounts take turns, and so
 * do the backlogs of one.
 */
export class BacklogLine {
  readonly #services: BacklogLineServices;
  readonly #timers: Timers;
  /** By id. First the one whose turn it is. */
  readonly #accounts = new Map<number, Account>();
  /** The part under way, or the one that it rests from; `null`: it is idle. */
  #part: Promise<void> | null = null;
  #endRest = (): void => {};
  #isClosed = false;

  constructor(services: BacklogLineServices) {
    this.#services = services;
    this.#timers = services.timers ?? systemTimers;
  }

  /**
   * Has work done. What was to be done for the same webhook under the same name ends as soon as this has begun: a client
   * that asks over and over would else have as many go over all that waits.
   *
   * @returns where the line is idle, when its first part was done; else at once. Never rejects: `tell` hears of failures.
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
    this.#accounts.clear();
    this.#endRest();
    await this.#part;
  }

  /** @returns when one part was done; the others follow by themselves. */
  #goOn(): Promise<void> {
    const { clock } = this.#services;
    const beganAtMs = monotonicMs(clock);
    const part = this.#doPart();
    this.#part = part;
    void part.then(() => this.#rest(RESTS * (monotonicMs(clock) - beganAtMs)));
    return part;
  }

  #rest(ms: number): void {
    if (this.#isClosed) return;
    const end = (): void => {
      this.#part = null;
      if (this.#accounts.size > 0) void this.#goOn();
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

  /** Something fresh may join meanwhile: it is left as it is. */
  async #advance(work: Work): Promise<void> {
    const { fresh } = work;
    const parts = fresh ?? work.begun;
    try {
      const isOver = (await parts?.next())?.done === true;
      work.begun = isOver ? null : parts;
    } catch (error) {
      // What had begun and fails is over, and says so when it is asked again.
      this.#services.tell(error);
    }
    if (work.fresh === fresh) work.fresh = null;
  }
}

/** The first, which is the last from here on. */
function takeTurn<Key, Value>(turns: Map<Key, Value>): Value | undefined {
  for (const [key, value] of turns) {
    turns.delete(key);
    turns.set(key, value);
    return value;
  }
  return undefined;
}

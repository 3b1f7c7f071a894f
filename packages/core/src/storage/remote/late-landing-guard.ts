import { StorageUnavailableError } from '../../errors.ts';
import { type Clock, monotonicMs, systemClock } from '../../ports/clock.ts';
import type { CallDeadline } from './call-deadline.ts';
import { ServerClock } from './server-clock.ts';

/**
 * Added to the time until which a call may land: covers the rounding of clocks, and is far below the shortest
 * grace that a lost answer has.
 */
const LANDING_SLACK_MS = 250;

/** What a server made of a call that carried a landing limit. */
export type Landing<Answer> =
  | {
      readonly outcome: 'landed';
      readonly answer: Answer;
      /** The server's time at the answer, ms. */
      readonly serverMs: number;
    }
  /** It came to the server after its limit, and changed nothing. */
  | { readonly outcome: 'late'; readonly serverMs: number };

/** An answer, and how long it took. */
export interface TimedAnswer<Answer> {
  readonly answer: Answer;
  /** From the call to its answer: the longest that it can have been under way, ms. */
  readonly tookMs: number;
}

export interface LateLandingGuardOptions {
  /** What the errors call the server. */
  readonly server: string;
  /**
   * Asks the server for its time, ms since 1970. Called before the first call; where several come at once,
   * once for each of them.
   */
  readonly readServerMs: (deadline: CallDeadline) => Promise<number>;
  /** Stands in for all time in tests: nothing takes any but by its being turned. */
  readonly clock?: Clock | undefined;
}

/**
 * Sees to it that a call which its caller gave up on changes nothing. For who writes a storage.
 *
 * A call cannot be taken back. It may wait in a queue of the driver until the server returns, lie in a socket
 * that a firewall froze, in a pooler or behind a lock, or be sent again after a reconnect. A rotation that
 * lands minutes late would consume a generation whose successor nobody ever received; past the grace, the
 * client's next refresh would then end the session. So every call carries the time of the *server* up to which
 * it may act (its deadline and a little slack), and the transition does nothing when it comes to act after
 * that.
 *
 * That time is reckoned from the times in the server's answers, never from the clock of this machine. Before
 * the first answer there is none to reckon from, and this is just when calls pile up behind a server that is
 * down; so the first call asks for the time first. Where the clock of the server jumps ahead (failover to a
 * machine whose clock is ahead) calls that are in time are taken for late once: the refusal tells the new
 * time, and the call is made again within the same deadline.
 *
 * Concurrency: one guard serves any number of calls at once, and is best shared by all calls to a server.
 *
 * @example
 * ```ts
 * import { CallDeadline, LateLandingGuard } from '@latchhook/core';
 *
 * interface Row {
 *   readonly serverMs: number;
 *   readonly isLate: boolean;
 *   readonly revoked: boolean;
 * }
 * declare function query(statement: string, values: readonly unknown[]): Promise<Row>;
 *
 * const guard = new LateLandingGuard({
 *   server: 'MariaDB',
 *   readServerMs: async () => (await query('SELECT now_ms()', [])).serverMs,
 * });
 *
 * export async function revoke(sessionId: string): Promise<boolean> {
 *   const deadline = new CallDeadline('MariaDB', 1000);
 *   const call = guard.call(deadline, async (landingLimitMs) => {
 *     const row = await query('CALL revoke(?, ?)', [landingLimitMs, sessionId]);
 *     const { serverMs, isLate, revoked } = row;
 *     return isLate ? { outcome: 'late', serverMs } : { outcome: 'landed', serverMs, answer: revoked };
 *   });
 *   return (await deadline.bound(call)).answer;
 * }
 * ```
 */
export class LateLandingGuard {
  readonly #server: string;
  readonly #readServerMs: (deadline: CallDeadline) => Promise<number>;
  readonly #stopwatch: Clock;
  readonly #serverClock = new ServerClock();

  constructor({ server, readServerMs, clock }: LateLandingGuardOptions) {
    this.#server = server;
    this.#readServerMs = readServerMs;
    this.#stopwatch = clock ?? systemClock;
  }

  /**
   * Makes a call that tells until when it may act, and makes it again where the server took it for late in
   * error. It does not bound the wait: do that by the deadline.
   *
   * @param send - sends the call with its limit: the server's time, whole ms.
   * @throws StorageUnavailableError when the server takes the second for late as well, or tells its time after
   * the deadline; else whatever `send` and `readServerMs` throw.
   */
  async call<Answer>(
    deadline: CallDeadline,
    send: (landingLimitMs: number) => Promise<Landing<Answer>>,
  ): Promise<TimedAnswer<Answer>> {
    const calledAtMs = monotonicMs(this.#stopwatch);
    const first = await this.#attempt(deadline, send);
    const landing =
      first.outcome === 'late' && !deadline.passed ? await this.#attempt(deadline, send) : first;
    if (landing.outcome === 'late') {
      throw new StorageUnavailableError(`${this.#server} received a call too late to act on it.`);
    }
    return { answer: landing.answer, tookMs: monotonicMs(this.#stopwatch) - calledAtMs };
  }

  async #attempt<Answer>(
    deadline: CallDeadline,
    send: (landingLimitMs: number) => Promise<Landing<Answer>>,
  ): Promise<Landing<Answer>> {
    // Nothing is awaited that is known: this is on the way of every call.
    const limitMs = this.#landingLimitMs(deadline) ?? (await this.#learnLandingLimitMs(deadline));
    const sentAtMs = performance.now();
    const landing = await send(limitMs);
    // The answer to a call that was long under way would put the estimate ahead by as much.
    if (!deadline.passed) this.#serverClock.observe(landing.serverMs, sentAtMs);
    return landing;
  }

  async #learnLandingLimitMs(deadline: CallDeadline): Promise<number> {
    const sentAtMs = performance.now();
    const serverMs = await this.#readServerMs(deadline);
    // This too may have waited in a queue, and then nobody waits for the call any more.
    if (deadline.passed) {
      throw new StorageUnavailableError(`${this.#server} told its time too late.`);
    }
    this.#serverClock.observe(serverMs, sentAtMs);
    return this.#landingLimitMs(deadline) ?? this.#learnLandingLimitMs(deadline);
  }

  #landingLimitMs(deadline: CallDeadline): number | undefined {
    const serverMs = this.#serverClock.at(deadline.atMs);
    return serverMs === undefined ? undefined : Math.ceil(serverMs + LANDING_SLACK_MS);
  }
}

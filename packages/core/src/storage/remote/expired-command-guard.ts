import { StorageUnavailableError } from '../../errors.ts';
import { type Clock, monotonicMs, systemClock } from '../../ports/clock.ts';
import type { CallDeadline } from './call-deadline.ts';

/**
 * Added to the expiry of a command, ms. It covers the rounding of clocks, and is far shorter than any grace period for
 * a lost response.
 */
const EXPIRY_SLACK_MS = 250;

/** How long the response that is furthest ahead counts, ms: at least this long, and at most twice as long. */
const WINDOW_MS = 60_000;

/** The outcome of a command with an expiry. */
export type CommandOutcome<Answer> =
  | {
      readonly outcome: 'applied';
      readonly answer: Answer;
      /** The server's time of the response, ms. */
      readonly serverMs: number;
    }
  /** The command reached the server after its expiry, and changed nothing. */
  | { readonly outcome: 'expired'; readonly serverMs: number };

/** The result of a command, and the time that it took. */
export interface TimedAnswer<Answer> {
  readonly answer: Answer;
  /** The time from the call to its response, ms: the longest that the command can have been pending. */
  readonly tookMs: number;
}

/** The server of an {@link ExpiredCommandGuard}. */
export interface ExpiredCommandGuardOptions {
  /** The server's name in errors. */
  readonly server: string;
  /**
   * Reads the server's time, ms since 1970. Called before the first call, and for each of several parallel first calls.
   */
  readonly readServerMs: (deadline: CallDeadline) => Promise<number>;
  /** For tests: the clock that measures `tookMs`. Deadlines and the server's clock stay real. */
  readonly clock?: Clock | undefined;
}

/**
 * Ensures that a call changes nothing after its deadline. For authors of storages.
 *
 * A call cannot be cancelled. It may wait in a queue of the driver until the server is back, in a socket that a
 * firewall has frozen, in a pooler or for a lock. A driver may send it again after a reconnect. A rotation that is
 * applied minutes late would consume a generation whose successor nobody ever received; after the grace period, the
 * client's next refresh would then end the session. So every call has an expiry in the *server's* time (its deadline
 * plus a little slack), after which the transition does nothing.
 *
 * The expiry is derived from the times in the server's responses, never from the clock of this machine. Before the
 * first response the server's time is unknown, so the first call reads it before it sends its command: calls often
 * queue up at that time, for a server that is still down. If the clock of the server jumps ahead (failover to a machine
 * whose clock is ahead), a call that is in time is rejected once as expired; the rejection has the new time, and the
 * call is repeated within the same deadline.
 *
 * Concurrency: one guard serves any number of parallel calls. Share it between all calls to a server.
 *
 * @example
 * ```ts
 * import { CallDeadline, ExpiredCommandGuard } from '@latchhook/core/storage';
 *
 * interface Row {
 *   readonly serverMs: number;
 *   readonly isExpired: boolean;
 *   readonly revoked: boolean;
 * }
 * declare function query(statement: string, values: readonly unknown[]): Promise<Row>;
 *
 * const guard = new ExpiredCommandGuard({
 *   server: 'MariaDB',
 *   readServerMs: async () => (await query('SELECT now_ms()', [])).serverMs,
 * });
 *
 * export async function revoke(sessionId: string): Promise<boolean> {
 *   const deadline = new CallDeadline('MariaDB', 1000);
 *   const call = guard.call(deadline, async (commandExpiresAtMs) => {
 *     const row = await query('CALL revoke(?, ?)', [commandExpiresAtMs, sessionId]);
 *     const { serverMs, isExpired, revoked } = row;
 *     return isExpired ? { outcome: 'expired', serverMs } : { outcome: 'applied', serverMs, answer: revoked };
 *   });
 *   return (await deadline.bound(call)).answer;
 * }
 * ```
 */
export class ExpiredCommandGuard {
  readonly #server: string;
  readonly #readServerMs: (deadline: CallDeadline) => Promise<number>;
  readonly #stopwatch: Clock;
  readonly #serverClock = new ServerClock();

  constructor({ server, readServerMs, clock }: ExpiredCommandGuardOptions) {
    this.#server = server;
    this.#readServerMs = readServerMs;
    this.#stopwatch = clock ?? systemClock;
  }

  /**
   * Makes a call with its expiry, and repeats it once if the server rejects it as expired before the deadline. This
   * method has no timeout: bound the call by the deadline.
   *
   * @param send - sends the call with its expiry, in whole ms of the server's time
   * @throws {StorageUnavailableError} if the server rejects the second call as expired too, or returns its time after
   *   the deadline; other errors are those of `send` and `readServerMs`
   */
  async call<Answer>(
    deadline: CallDeadline,
    send: (commandExpiresAtMs: number) => Promise<CommandOutcome<Answer>>,
  ): Promise<TimedAnswer<Answer>> {
    const calledAtMs = monotonicMs(this.#stopwatch);
    const firstOutcome = await this.#attempt(deadline, send);
    const outcome =
      firstOutcome.outcome === 'expired' && !deadline.passed
        ? await this.#attempt(deadline, send)
        : firstOutcome;
    if (outcome.outcome === 'expired') {
      throw new StorageUnavailableError(`${this.#server} received a call too late to act on it.`);
    }
    return { answer: outcome.answer, tookMs: monotonicMs(this.#stopwatch) - calledAtMs };
  }

  async #attempt<Answer>(
    deadline: CallDeadline,
    send: (commandExpiresAtMs: number) => Promise<CommandOutcome<Answer>>,
  ): Promise<CommandOutcome<Answer>> {
    let commandExpiresAtMs = this.#commandExpiresAtMs(deadline);
    // Every call runs through here, so this awaits only while the server's time is unknown.
    while (commandExpiresAtMs === undefined) {
      await this.#readServerTime(deadline);
      commandExpiresAtMs = this.#commandExpiresAtMs(deadline);
    }
    const sentAtMs = performance.now();
    const outcome = await send(commandExpiresAtMs);
    // The response to a slow call would move the estimate ahead by the time that the call took.
    if (!deadline.passed) this.#serverClock.observe(outcome.serverMs, sentAtMs);
    return outcome;
  }

  async #readServerTime(deadline: CallDeadline): Promise<void> {
    const sentAtMs = performance.now();
    const serverMs = await this.#readServerMs(deadline);
    // Reading the time may have waited in a queue too, until after the deadline.
    if (deadline.passed) {
      throw new StorageUnavailableError(`${this.#server} answered its time too late.`);
    }
    this.#serverClock.observe(serverMs, sentAtMs);
  }

  #commandExpiresAtMs(deadline: CallDeadline): number | undefined {
    const serverMs = this.#serverClock.at(deadline.atMs);
    return serverMs === undefined ? undefined : Math.ceil(serverMs + EXPIRY_SLACK_MS);
  }
}

/**
 * Estimates the server's clock from the times in its responses.
 *
 * The estimate may be ahead of the server, but never behind it: a guard that uses it may accept a call slightly late,
 * but never rejects one that is in time. So the estimate assumes that the server responded when the call was sent, and
 * uses the response that is furthest ahead within the last one to two minutes: one storage may have several servers
 * (the masters of a Cluster, or the next one after a failover), each with its own clock.
 *
 * An old response is replaced only by newer ones. The window is a span of time rather than a number of responses, so
 * that a burst of delayed responses, as after a stall, does not displace the usual ones.
 */
export class ServerClock {
  #windowSinceMs = Number.NEGATIVE_INFINITY;
  /**
   * The local monotonic time minus the server's time, ms. The smallest value is from the server that is furthest ahead.
   */
  #offsetMs: number | undefined;
  /** The same value of the previous window. */
  #previousOffsetMs: number | undefined;

  /** @param sentAtMs - the local monotonic time at which the call was sent */
  observe(serverMs: number, sentAtMs: number): void {
    const offsetMs = sentAtMs - serverMs;
    if (sentAtMs - this.#windowSinceMs > WINDOW_MS) {
      this.#previousOffsetMs = this.#offsetMs;
      this.#offsetMs = offsetMs;
      this.#windowSinceMs = sentAtMs;
    } else {
      this.#offsetMs = Math.min(this.#offsetMs ?? offsetMs, offsetMs);
    }
  }

  /** The server's time at a local monotonic time; `undefined` before the first response. */
  at(localMs: number): number | undefined {
    if (this.#offsetMs === undefined) return undefined;
    return localMs - Math.min(this.#offsetMs, this.#previousOffsetMs ?? this.#offsetMs);
  }
}

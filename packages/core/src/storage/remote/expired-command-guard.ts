import { StorageUnavailableError } from '../../errors.ts';
import { type Clock, monotonicMs, systemClock } from '../../ports/clock.ts';
import type { CallDeadline } from './call-deadline.ts';
import { ServerClock } from './server-clock.ts';

/**
 * Added to the time until which a call may act: covers the rounding of clocks, and is far below the shortest grace for
 * a lost answer.
 */
const EXPIRY_SLACK_MS = 250;

/** What a server made of a command that carried its expiry. */
export type CommandOutcome<Answer> =
  | {
      readonly outcome: 'applied';
      readonly answer: Answer;
      /** The server's time at the answer, ms. */
      readonly serverMs: number;
    }
  /** It reached the server after its limit, and changed nothing. */
  | { readonly outcome: 'expired'; readonly serverMs: number };

/** An answer, and how long it took. */
export interface TimedAnswer<Answer> {
  readonly answer: Answer;
  /** From the call to its answer, ms: it cannot have been pending for longer. */
  readonly tookMs: number;
}

/** How a {@link ExpiredCommandGuard} knows the time of its server. */
export interface ExpiredCommandGuardOptions {
  /** The server's name in errors. */
  readonly server: string;
  /**
   * Asks the server for its time, ms since 1970. Called before the first call; if several come at once, for each of
   * them.
   */
  readonly readServerMs: (deadline: CallDeadline) => Promise<number>;
  /** In tests: what `tookMs` is measured by. Deadlines and the server's clock stay real. */
  readonly clock?: Clock | undefined;
}

/**
 * Makes sure that a call changes nothing after its caller gave up on it. For authors of storages.
 *
 * A call cannot be taken back. It may wait in a queue of the driver until the server is back, in a socket that a
 * firewall froze, in a pooler or behind a lock, or be sent again after a reconnect. A rotation that lands minutes late
 * would consume a generation whose successor nobody ever received; past the grace, the client's next refresh would then
 * end the session. So every call carries a limit in the *server's* time (its deadline plus a little slack), and the
 * transition does nothing if it acts after that.
 *
 * The limit is derived from the times in the server's answers, never from the clock of this machine. There is none
 * before the first answer, which is just when calls pile up behind a server that is down; so the first call asks for
 * the time first. If the clock of the server jumps ahead (failover to a machine whose clock is ahead), calls that are
 * in time are taken for late once: the rejection carries the new time, and the call is made again within the same
 * deadline.
 *
 * Concurrency: one guard serves any number of calls at once, and is best shared by all calls to a server.
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
   * Makes a call with the limit until which it may act, and makes it again if the server wrongly took it for late. It
   * does not bound the wait: do that by the deadline.
   *
   * @param send - sends the call with its limit: the server's time, whole ms.
   * @throws {StorageUnavailableError} if the server takes the second call for late too, or answers its time after the
   * deadline; else whatever `send` and `readServerMs` throw.
   */
  async call<Answer>(
    deadline: CallDeadline,
    send: (commandExpiresAtMs: number) => Promise<CommandOutcome<Answer>>,
  ): Promise<TimedAnswer<Answer>> {
    const calledAtMs = monotonicMs(this.#stopwatch);
    const first = await this.#attempt(deadline, send);
    const last =
      first.outcome === 'expired' && !deadline.passed ? await this.#attempt(deadline, send) : first;
    if (last.outcome === 'expired') {
      throw new StorageUnavailableError(`${this.#server} received a call too late to act on it.`);
    }
    return { answer: last.answer, tookMs: monotonicMs(this.#stopwatch) - calledAtMs };
  }

  async #attempt<Answer>(
    deadline: CallDeadline,
    send: (commandExpiresAtMs: number) => Promise<CommandOutcome<Answer>>,
  ): Promise<CommandOutcome<Answer>> {
    // No await if the time is known: every call comes through here.
    const limitMs =
      this.#commandExpiresAtMs(deadline) ?? (await this.#learnCommandExpiresAtMs(deadline));
    const sentAtMs = performance.now();
    const outcome = await send(limitMs);
    // The answer to a slow call would put the estimate ahead by as long as it took.
    if (!deadline.passed) this.#serverClock.observe(outcome.serverMs, sentAtMs);
    return outcome;
  }

  async #learnCommandExpiresAtMs(deadline: CallDeadline): Promise<number> {
    const sentAtMs = performance.now();
    const serverMs = await this.#readServerMs(deadline);
    // Reading the time may have waited in a queue too, until nobody waits for the call any more.
    if (deadline.passed) {
      throw new StorageUnavailableError(`${this.#server} answered its time too late.`);
    }
    this.#serverClock.observe(serverMs, sentAtMs);
    return this.#commandExpiresAtMs(deadline) ?? this.#learnCommandExpiresAtMs(deadline);
  }

  #commandExpiresAtMs(deadline: CallDeadline): number | undefined {
    const serverMs = this.#serverClock.at(deadline.atMs);
    return serverMs === undefined ? undefined : Math.ceil(serverMs + EXPIRY_SLACK_MS);
  }
}

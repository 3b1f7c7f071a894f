import { performance } from 'node:perf_hooks';
import { type Clock, StorageUnavailableError } from '@latchhook/core';
import type { Database } from './database/database.ts';
import { Deadline } from './deadline.ts';
import {
  type ArgTypes,
  type ArgValues,
  GUARD_PARAMETERS,
  type SqlFunction,
} from './define-function.ts';
import { FunctionAnswer } from './function-answer.ts';
import { LATE } from './functions/internal/enter.ts';
import { ServerClock } from './server-clock.ts';
import { readSqlError } from './sql-error.ts';
import { storableText } from './storable-text.ts';
import { storageUnavailable } from './storage-unavailable.ts';

/**
 * Added to the time until which a statement may land: covers the rounding of clocks, and is far below the
 * shortest grace that a lost answer has.
 */
const LANDING_SLACK_MS = 250;

/**
 * Calls a function in the database and hands back what it answered. One round trip.
 *
 * @param deadline - where several calls share one; a new one by default.
 * @throws StorageUnavailableError when PostgreSQL fails, or has not answered before the deadline.
 */
export type CallFunction = <Args extends ArgTypes>(
  called: SqlFunction<Args>,
  args: ArgValues<NoInfer<Args>>,
  deadline?: Deadline,
) => Promise<FunctionAnswer>;

export interface FunctionCallerOptions {
  readonly schema: string;
  readonly deadlineMs: number;
  /** Stands in for the time of the server, in tests. */
  readonly clock?: Clock | undefined;
}

const SERVER_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::text AS server_ms';

/**
 * Calls functions under a deadline, and sees to it that a statement which the caller gave up on changes
 * nothing.
 *
 * The late-landing guard: a statement cannot be taken back. It may lie in a socket that a firewall froze, in
 * a pooler between us and the server, or behind a lock. A rotation that lands minutes late would consume a
 * generation whose successor nobody ever received; past the grace, the client's next refresh would then end
 * the session. So every call carries the time of the server up to which it may act (our deadline and a
 * little slack), and `enter` rolls it back when it comes to act after that.
 *
 * That time is reckoned from the estimate of `ServerClock`, never from the clock of this machine; the first
 * call asks for the time first. Where the clock of the server jumps ahead (failover to a machine whose clock
 * is ahead) statements that are in time are taken for late once: the refusal tells the new time, and the call
 * is made again within the same deadline.
 * A wait for a connection of the pool makes the estimate err ahead by as much: by a deadline, at most.
 */
export function createFunctionCaller(
  database: Database,
  { schema, deadlineMs, clock }: FunctionCallerOptions,
): CallFunction {
  const serverClock = new ServerClock();
  // A clock that a test turns stands in for all time: nothing takes any but by its being turned.
  const stopwatchMs = () => clock?.monotonicMs?.() ?? clock?.nowMs() ?? performance.now();

  function landingLimitMs(deadline: Deadline): number | undefined {
    const serverMs = serverClock.at(deadline.atMs);
    return serverMs === undefined ? undefined : Math.ceil(serverMs + LANDING_SLACK_MS);
  }

  async function learnLandingLimitMs(deadline: Deadline): Promise<number> {
    const sentAtMs = performance.now();
    const [row] = await database.query(`SELECT ${SERVER_MS}`, [], deadline).catch((error) => {
      throw storageUnavailable(error);
    });
    serverClock.observe(Number(row?.['server_ms']), sentAtMs);
    return landingLimitMs(deadline) ?? learnLandingLimitMs(deadline);
  }

  /** @returns `undefined` when the function refused to act, being late. */
  async function send(
    called: SqlFunction,
    args: readonly unknown[],
    deadline: Deadline,
    calledAtMs: number,
  ): Promise<FunctionAnswer | undefined> {
    // Nothing is awaited that is known: this is on the way of every call.
    const limitMs = landingLimitMs(deadline) ?? (await learnLandingLimitMs(deadline));
    const values = [limitMs, clock?.nowMs() ?? null, ...args];
    const sentAtMs = performance.now();
    try {
      const [row] = await database.query(statementOf(called, schema), values, deadline);
      serverClock.observe(Number(row?.['server_ms']), sentAtMs);
      const answer: unknown = JSON.parse(String(row?.['answer']));
      return new FunctionAnswer(called.name, answer, stopwatchMs() - calledAtMs);
    } catch (error) {
      const refusal = readSqlError(error);
      if (refusal?.code !== LATE) throw storageUnavailable(error);
      serverClock.observe(Number(refusal.detail), sentAtMs);
      return undefined;
    }
  }

  return async (called, args, deadline = new Deadline(deadlineMs)) => {
    const values = argumentsOf(called, args);
    const calledAtMs = stopwatchMs();
    const attempt = () => send(called, values, deadline, calledAtMs);
    const first = await attempt();
    const answer = first === undefined && !deadline.passed ? await attempt() : first;
    if (answer === undefined) {
      throw new StorageUnavailableError('PostgreSQL received the call too late to act on it.');
    }
    return answer;
  };
}

/** By name, so that the order of the arguments is nobody's concern. As text, since drivers parse JSON their way. */
function statementOf(called: SqlFunction, schema: string): string {
  const passed = [...GUARD_PARAMETERS, ...called.parameters].map(
    (parameter, index) => `${parameter} => $${index + 1}`,
  );
  return `SELECT ${SERVER_MS}, ${schema}.${called.name}(${passed.join(', ')})::text AS answer`;
}

function argumentsOf<Args extends ArgTypes>(
  called: SqlFunction<Args>,
  args: ArgValues<Args>,
): readonly unknown[] {
  return Object.entries(called.args).map(([name, type]) => {
    const value = args[name];
    if (type === 'json') return JSON.stringify(value);
    return typeof value === 'string' ? storableText(value) : value;
  });
}

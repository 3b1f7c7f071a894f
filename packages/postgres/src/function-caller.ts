import { type CallDeadline, type Clock, type Landing, LateLandingGuard } from '@latchhook/core';
import type { Database } from './database/database.ts';
import {
  type ArgTypes,
  type ArgValues,
  GUARD_PARAMETERS,
  type SqlFunction,
} from './define-function.ts';
import { FunctionAnswer } from './function-answer.ts';
import { LATE } from './functions/internal/enter.ts';
import { readSqlError } from './sql-error.ts';
import { storableText } from './storable-text.ts';
import { rejectUnavailable } from './storage-unavailable.ts';

/**
 * Calls a function in the database and hands back what it answered. One round trip.
 *
 * @param deadline - where several calls share one; a new one by default.
 * @throws StorageUnavailableError when PostgreSQL fails, or has not answered before the deadline.
 */
export type CallFunction = <Args extends ArgTypes>(
  called: SqlFunction<Args>,
  args: ArgValues<NoInfer<Args>>,
  deadline?: CallDeadline,
) => Promise<FunctionAnswer>;

export interface FunctionCallerOptions {
  readonly schema: string;
  readonly newDeadline: () => CallDeadline;
  /** Stands in for the time of the server, in tests. */
  readonly clock?: Clock | undefined;
}

const SERVER_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::text AS server_ms';

/**
 * Calls functions under a deadline, and sees to it by a {@link LateLandingGuard} that a statement which the
 * caller gave up on changes nothing: `enter` rolls back one that comes late.
 *
 * A wait for a connection of the pool makes the estimate of the server's time err ahead by as much: by a
 * deadline, at most.
 */
export function createFunctionCaller(
  database: Database,
  { schema, newDeadline, clock }: FunctionCallerOptions,
): CallFunction {
  const guard = new LateLandingGuard({ server: 'PostgreSQL', readServerMs, clock });

  async function readServerMs(deadline: CallDeadline): Promise<number> {
    const [row] = await database.query(`SELECT ${SERVER_MS}`, [], deadline);
    return Number(row?.['server_ms']);
  }

  async function send(
    called: SqlFunction,
    args: readonly unknown[],
    deadline: CallDeadline,
    landingLimitMs: number,
  ): Promise<Landing<unknown>> {
    const values = [landingLimitMs, clock?.nowMs() ?? null, ...args];
    try {
      const [row] = await database.query(statementOf(called, schema), values, deadline);
      const answer: unknown = JSON.parse(String(row?.['answer']));
      return { outcome: 'landed', answer, serverMs: Number(row?.['server_ms']) };
    } catch (error) {
      const refusal = readSqlError(error);
      if (refusal?.code !== LATE) throw error;
      return { outcome: 'late', serverMs: Number(refusal.detail) };
    }
  }

  return async (called, args, deadline = newDeadline()) => {
    const values = argumentsOf(called, args);
    const { answer, tookMs } = await guard
      .call(deadline, (limitMs) => send(called, values, deadline, limitMs))
      .catch(rejectUnavailable);
    return new FunctionAnswer(called.name, answer, tookMs);
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

import type { AccountId, Clock } from '@latchhook/core';
import {
  accountName,
  type CallDeadline,
  type CommandOutcome,
  ExpiredCommandGuard,
} from '@latchhook/core/storage';
import type { Database } from './database/database.ts';
import {
  type ArgTypes,
  type ArgValues,
  GUARD_PARAMETERS,
  type SqlFunction,
} from './define-function.ts';
import { FunctionResult } from './function-result.ts';
import { EXPIRED } from './functions/internal/now-unless-expired.ts';
import { quotedName } from './schema-name.ts';
import { readSqlError } from './sql-error.ts';
import { storableText } from './storable-text.ts';
import { rejectUnavailable } from './storage-unavailable.ts';

/**
 * Calls a function in the database and resolves to its result, in one round trip.
 *
 * @param deadline - a deadline that several calls share. Default: each call has its own.
 * @throws {StorageUnavailableError} if PostgreSQL fails, or does not respond before the deadline.
 */
export type CallFunction = <Args extends ArgTypes>(
  sqlFunction: SqlFunction<Args>,
  args: ArgValues<NoInfer<Args>>,
  deadline?: CallDeadline,
) => Promise<FunctionResult>;

export interface FunctionCallerOptions {
  readonly schema: string;
  readonly newDeadline: () => CallDeadline;
  /** Replaces the time of the server in tests. */
  readonly clock?: Clock | undefined;
}

const SERVER_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::text AS server_ms';

/**
 * Creates a function that calls database functions with a deadline. An {@link ExpiredCommandGuard} ensures that a
 * statement changes nothing after its deadline: `now_unless_expired` rolls back an expired statement.
 *
 * The guard assumes that the server responded when the call was sent. If the call has waited for a connection of the
 * pool, the guard's estimate of the server's time is ahead by that wait, at most by one deadline. A later call may then
 * be accepted that much too late.
 */
export function createFunctionCaller(
  database: Database,
  { schema, newDeadline, clock }: FunctionCallerOptions,
): CallFunction {
  const guard = new ExpiredCommandGuard({ server: 'PostgreSQL', readServerMs, clock });

  async function readServerMs(deadline: CallDeadline): Promise<number> {
    const [row] = await database.query(`SELECT ${SERVER_MS}`, [], deadline);
    return Number(row?.['server_ms']);
  }

  async function send(
    sqlFunction: SqlFunction,
    args: readonly unknown[],
    deadline: CallDeadline,
    commandExpiresAtMs: number,
  ): Promise<CommandOutcome<unknown>> {
    const values = [commandExpiresAtMs, clock?.nowMs() ?? null, ...args];
    try {
      const [row] = await database.query(statementOf(sqlFunction, schema), values, deadline);
      const answer: unknown = JSON.parse(String(row?.['result']));
      return { outcome: 'applied', answer, serverMs: Number(row?.['server_ms']) };
    } catch (error) {
      const rejection = readSqlError(error);
      if (rejection?.code !== EXPIRED) throw error;
      return { outcome: 'expired', serverMs: Number(rejection.detail) };
    }
  }

  return async (sqlFunction, args, deadline = newDeadline()) => {
    const values = argumentsOf(sqlFunction, args);
    const { answer, tookMs } = await guard
      .call(deadline, (expiresAtMs) => send(sqlFunction, values, deadline, expiresAtMs))
      .catch(rejectUnavailable);
    return new FunctionResult(sqlFunction.name, answer, tookMs);
  };
}

/**
 * Arguments are passed by name, so their order does not matter. The result is text because drivers differ in parsing
 * JSON.
 */
function statementOf(sqlFunction: SqlFunction, schema: string): string {
  const assignments = [...GUARD_PARAMETERS, ...sqlFunction.parameters].map(
    (parameter, index) => `${parameter} => $${index + 1}`,
  );
  return `SELECT ${SERVER_MS}, ${quotedName(schema)}.${sqlFunction.name}(${assignments.join(', ')})::text AS result`;
}

function argumentsOf<Args extends ArgTypes>(
  sqlFunction: SqlFunction<Args>,
  args: ArgValues<Args>,
): readonly unknown[] {
  return Object.entries(sqlFunction.args).map(([name, type]) => {
    const value = args[name];
    if (type === 'json') return JSON.stringify(value);
    if (type === 'account') return accountName(value as AccountId);
    return typeof value === 'string' ? storableText(value) : value;
  });
}

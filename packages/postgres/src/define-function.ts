import type { AccountId } from '@latchhook/core';

/** The arguments of a function and their types. `json` is passed as text, an `account` as its `accountName`. */
export type ArgTypes = Readonly<Record<string, 'text' | 'bigint' | 'json' | 'account'>>;

export type ArgValues<Args extends ArgTypes> = {
  readonly [Name in keyof Args]: Args[Name] extends 'bigint'
    ? number | null
    : Args[Name] extends 'text'
      ? string | null
      : Args[Name] extends 'account'
        ? AccountId
        : unknown;
};

interface FunctionSpec<Args extends ArgTypes> {
  /** The name of its file, in snake case. */
  readonly name: string;
  /** Each argument becomes a parameter in SQL: `userId` becomes `p_user_id`. */
  readonly args: Args;
  /** Declarations of variables. They run after `bound_waits`, so an initial value may lock a row. */
  readonly declare?: string;
  /**
   * The transition, in PL/pgSQL. It may use the parameters, the variables of `declare`, and the variable `now_ms`. It
   * needs no schema name for Latchhook's own objects, and its lock waits are bounded.
   *
   * It first locks its rows, and then reads the time with `now_ms := now_unless_expired(p_command_expires_at_ms,
   * p_clock_ms)`, which raises an error if the call has expired, so that the call is rolled back. A body that does not
   * use the time assigns it too: `PERFORM` would run a statement and set `FOUND`, which an assignment does not change.
   * The body ends in `RETURN json_build_object('outcome', ...)`.
   */
  readonly body: string;
  /**
   * Whether the plans of the function and of its steps must use indexes. A connection keeps the plans of its first
   * calls until the tables are analysed. A plan that was made for a small table would scan the whole table even after
   * it has grown, and planning each call anew takes too long for functions that run for each delivery.
   */
  readonly byIndexes?: boolean;
}

/** A database object that every version of the package redefines. */
export interface SqlDefinition {
  /**
   * Returns the `CREATE OR REPLACE` statement for a schema.
   *
   * @param schema - the quoted name: see `quotedName`
   * @param channel - the channel on which workers are notified: see `dueChannel`
   */
  define(schema: string, channel: string): string;
}

/**
 * Settings that make plans read by indexes, in index order.
 *
 * - `enable_seqscan`, `enable_bitmapscan`: a plan that was made for a small table would sort a whole queue to find its
 *   first ten entries.
 * - `plan_cache_mode`: lists of unknown length seem so expensive that PostgreSQL would plan each call anew, which takes
 *   longer than a claim of one delivery, and would find the same plan.
 * - `jit`: a table without a suitable index is still scanned, at an estimated cost so high that PostgreSQL would
 *   compile the plan, which takes longer than the query.
 */
export const BY_INDEXES = `
SET enable_seqscan = off
SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan
SET jit = off`;

/** A function in the database that performs one transition. */
export interface SqlFunction<Args extends ArgTypes = ArgTypes> extends SqlDefinition {
  readonly name: string;
  readonly args: Args;
  /** The names of the parameters in order, after the `GUARD_PARAMETERS`. */
  readonly parameters: readonly string[];
}

/** The first parameters of every function: see `now_unless_expired`. */
export const GUARD_PARAMETERS = ['p_command_expires_at_ms', 'p_clock_ms'] as const;

/**
 * Defines a function for a transition, with the parts that all functions have in common.
 *
 * `SECURITY DEFINER`: callers need no privileges on tables, so they can only run whole transitions. Such a function
 * must fix its `search_path`, with temporary tables last, or a caller could substitute other tables for Latchhook's.
 *
 * It must run under READ COMMITTED: at this level, a statement after a lock sees everything that was committed before
 * the lock was granted. `now_unless_expired` checks the level.
 *
 * `longest_wait_ms` is read nowhere. It is declared first so that `bound_waits` is called before the initial values of
 * `declare`, which may wait for locks.
 */
export function defineFunction<const Args extends ArgTypes>(
  spec: FunctionSpec<Args>,
): SqlFunction<Args> {
  const { name, args, declare = '', body, byIndexes = false } = spec;
  const parameters = Object.keys(args).map(parameterName);
  const signature = [
    ...GUARD_PARAMETERS.map((parameter) => `${parameter} bigint`),
    ...Object.values(args).map((type, index) => `${parameters[index]} ${sqlTypeOf(type)}`),
  ];
  return {
    name,
    args,
    parameters,
    define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.${name}(
  ${signature.join(',\n  ')}
) RETURNS json LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, ${schema}, pg_temp${byIndexes ? BY_INDEXES : ''}
AS $function$
DECLARE
  longest_wait_ms bigint := bound_waits(p_command_expires_at_ms);
  now_ms bigint;
${indented(declare)}BEGIN
${indented(body)}END
$function$`,
  };
}

/** The PostgreSQL type of a parameter. */
export function sqlTypeOf(type: ArgTypes[string]): string {
  return type === 'account' ? 'text' : type;
}

function parameterName(argName: string): string {
  return `p_${argName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

function indented(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' ? '' : `${trimmed.replaceAll(/^(?=.)/gm, '  ')}\n`;
}

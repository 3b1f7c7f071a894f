import type { AccountId } from '@latchhook/core';
/** The arguments of a function and their types. `json` is passed as text, an `account` by its name. */
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
  /** Each becomes a parameter in SQL: `userId` is `p_user_id`. */
  readonly args: Args;
  /** Variables: those that lock a row as they are initialised do so under `bound_waits`. */
  readonly declare?: string;
  /**
   * The transition, in PL/pgSQL. It needs no schema name for anything of ours, and its waits are bounded. It first
   * locks the rows that it is about, and then takes the time by `now_ms := enter(p_command_expires_at_ms, p_clock_ms)`,
   * which raises an error, and so rolls back, where the call has expired. It ends in
   * `RETURN json_build_object('outcome', ...)`.
   */
  readonly body: string;
  /**
   * Whether the server plans its statements whenever they run, and those of its steps. A connection otherwise keeps the
   * plans of its first calls until the tables are analysed: what it has planned for small ones reads all there is once
   * they have grown. Planning takes some 50 µs a statement: too long for what each delivery needs.
   */
  readonly plansEachRun?: boolean;
  /**
   * Whether its plans, and those of its steps, must read by indexes: for what each delivery needs, where the plans that
   * are kept may be those for tables that were small when they were analysed.
   */
  readonly byIndexes?: boolean;
}

/** Something in the schema that every version of the package redefines. */
export interface SqlDefinition {
  /**
   * `CREATE OR REPLACE ...` for a schema.
   *
   * @param schema - its name in quotes: see `quotedName`
   * @param channel - where commits that publish are notified
   */
  define(schema: string, channel: string): string;
}

/**
 * Settings under which plans read by indexes, in their order. To sort all of a queue for its first ten entries is what
 * a plan for a small table does. A table without an index that fits is read as a whole all the same, at a cost so high
 * that compiling the plan would seem worth its 5 to 75 ms.
 */
export const BY_INDEXES = `
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off`;

/** A function in the database that makes one transition, with its arguments. */
export interface SqlFunction<Args extends ArgTypes = ArgTypes> extends SqlDefinition {
  readonly name: string;
  readonly args: Args;
  /** The parameters in order, without the `GUARD_PARAMETERS` that precede them. */
  readonly parameters: readonly string[];
}

/** Every function begins with these: see `enter`. */
export const GUARD_PARAMETERS = ['p_command_expires_at_ms', 'p_clock_ms'] as const;

/**
 * Wraps a transition in what all of them have in common.
 *
 * `SECURITY DEFINER`: callers need no rights on tables, and so cannot do anything but whole transitions. Such a
 * function must fix its `search_path`, with temporary tables last, or a caller could put other tables in place of ours.
 *
 * It must run under READ COMMITTED, where a statement after a lock sees what was committed before the lock was granted;
 * `enter` checks that.
 */
export function defineFunction<const Args extends ArgTypes>(
  spec: FunctionSpec<Args>,
): SqlFunction<Args> {
  const { name, args, declare = '', body, plansEachRun = false, byIndexes = false } = spec;
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
SET search_path = pg_catalog, ${schema}, pg_temp${plansEachRun ? '\nSET plan_cache_mode = force_custom_plan' : ''}${byIndexes ? BY_INDEXES : ''}
AS $function$
DECLARE
  longest_wait_ms bigint := bound_waits(p_command_expires_at_ms);
  now_ms bigint;
${indented(declare)}BEGIN
${indented(body)}END
$function$`,
  };
}

/** The type of a parameter, as PostgreSQL has it. */
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

/** What the arguments of a function are. `json` is handed over as text. */
export type ArgTypes = Readonly<Record<string, 'text' | 'bigint' | 'json'>>;

export type ArgValues<Args extends ArgTypes> = {
  readonly [Name in keyof Args]: Args[Name] extends 'bigint'
    ? number | null
    : Args[Name] extends 'text'
      ? string | null
      : unknown;
};

interface FunctionSpec<Args extends ArgTypes> {
  /** Named like its file, in SQL's own spelling. */
  readonly name: string;
  /** In SQL each is a parameter of this name: `userId` is `p_user_id`. */
  readonly args: Args;
  /** Variables. */
  readonly declare?: string;
  /**
   * The transition, in PL/pgSQL. It finds everything of our schema without naming it. It locks what it is
   * about first, and then takes the time by `now_ms := enter(p_landing_limit_ms, p_clock_ms)`, which refuses
   * whoever comes too late; before that nothing may be done that counts. It ends in
   * `RETURN json_build_object('outcome', ...)`.
   */
  readonly body: string;
}

/** Something that is defined in the schema anew with every version of the package. */
export interface SqlDefinition {
  /** `CREATE OR REPLACE ...` for a schema. */
  define(schema: string): string;
}

/** A function in the database that makes one transition, with the names of what it takes. */
export interface SqlFunction<Args extends ArgTypes = ArgTypes> extends SqlDefinition {
  readonly name: string;
  readonly args: Args;
  /** In the order of the parameters, behind the guard's own. */
  readonly parameters: readonly string[];
}

/** Every function begins with these: see `enter`. */
export const GUARD_PARAMETERS = ['p_landing_limit_ms', 'p_clock_ms'] as const;

/**
 * Puts what all transitions have in common around one.
 *
 * `SECURITY DEFINER`: whoever may call it needs no rights on tables, and so cannot do anything but whole
 * transitions. Such a function must fix its `search_path`, with temporary tables last, or its caller could
 * put tables of their own in the place of ours.
 *
 * It must run under READ COMMITTED, where a statement that follows a lock sees what was committed before the
 * lock was had; `enter` asks for it.
 */
export function defineFunction<const Args extends ArgTypes>(
  spec: FunctionSpec<Args>,
): SqlFunction<Args> {
  const { name, args, declare = '', body } = spec;
  const parameters = Object.keys(args).map(parameterName);
  const signature = [
    ...GUARD_PARAMETERS.map((parameter) => `${parameter} bigint`),
    ...Object.values(args).map((type, index) => `${parameters[index]} ${type}`),
  ];
  return {
    name,
    args,
    parameters,
    define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.${name}(
  ${signature.join(',\n  ')}
) RETURNS json LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, ${schema}, pg_temp
AS $function$
DECLARE
  now_ms bigint;
${indented(declare)}BEGIN
${indented(body)}END
$function$`,
  };
}

function parameterName(argName: string): string {
  return `p_${argName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

function indented(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' ? '' : `${trimmed.replaceAll(/^(?=.)/gm, '  ')}\n`;
}

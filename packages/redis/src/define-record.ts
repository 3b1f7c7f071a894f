interface RecordSpec<Stored extends string, Added extends string> {
  /** Fields of a hash, by their names in Redis. */
  readonly stored?: readonly Stored[];
  /** What a script puts behind them. */
  readonly added?: readonly Added[];
}

/** A record as scripts have it and answer it: a list of values. */
export interface RecordFields<Field extends string> {
  /**
   * The place of each field in the list, from 1. It is `record[${SESSION.at.grant}]` in Lua, which costs what
   * `record[1]` does, and `reply.at(SESSION.at.grant)` in TypeScript.
   */
  readonly at: Readonly<Record<Field, number>>;
  /** The names of the stored fields, as the last arguments of HMGET in Lua. */
  readonly stored: string;
  /** A record as Lua makes it, of an expression for each field. */
  readonly of: (values: Readonly<Record<Field, string>>) => string;
}

/**
 * Says the order of a record's fields once, for the scripts that answer it and for the code that reads the answer. Both
 * find a field by its name, so one that is put between two others moves none of them in one place only.
 */
export function defineRecord<
  const Stored extends string = never,
  const Added extends string = never,
>({ stored = [], added = [] }: RecordSpec<Stored, Added>): RecordFields<Stored | Added> {
  const fields = [...stored, ...added];
  const places = fields.map((field, index) => [field, index + 1]);
  return {
    at: Object.fromEntries(places) as RecordFields<Stored | Added>['at'],
    stored: stored.map((field) => `'${field}'`).join(', '),
    of: (values) => `{${fields.map((field) => values[field]).join(', ')}}`,
  };
}

interface RecordSpec<Stored extends string, Added extends string> {
  /** The fields that are read from a hash, by their names in Redis. */
  readonly stored?: readonly Stored[];
  /** The values that the script appends to the stored fields. */
  readonly added?: readonly Added[];
}

/** A record as scripts hold and return it: a list of values. */
export interface RecordFields<Field extends string> {
  /**
   * The position of each field in the list, from 1. In Lua, write `record[${SESSION.at.grant}]`, which costs the same
   * as `record[1]`; in TypeScript `reply.at(SESSION.at.grant)`.
   */
  readonly at: Readonly<Record<Field, number>>;
  /** The names of the stored fields, as the last arguments of HMGET in Lua. */
  readonly stored: string;
  /** A table constructor in Lua, with an expression for each field. */
  readonly of: (values: Readonly<Record<Field, string>>) => string;
}

/**
 * Defines the order of a record's fields once, for the scripts that return the record and for the code that reads it.
 * Both access a field by its name, so a new field between two others cannot shift positions on one side only.
 */
export function defineRecord<
  const Stored extends string = never,
  const Added extends string = never,
>({ stored = [], added = [] }: RecordSpec<Stored, Added>): RecordFields<Stored | Added> {
  const fields = [...stored, ...added];
  const positions = fields.map((field, index) => [field, index + 1]);
  return {
    at: Object.fromEntries(positions) as RecordFields<Stored | Added>['at'],
    stored: stored.map((field) => `'${field}'`).join(', '),
    of: (values) => `{${fields.map((field) => values[field]).join(', ')}}`,
  };
}

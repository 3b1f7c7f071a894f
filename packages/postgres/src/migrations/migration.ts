/**
 * One change of the tables, or of functions that the version before must not put its own in place of. Once released it is
 * never changed: what is to be different is a further one.
 */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** Statements, each ended by a semicolon, that name what they make without a schema. */
  readonly sql: string;
}

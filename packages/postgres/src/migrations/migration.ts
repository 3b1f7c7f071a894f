/**
 * One change of the tables, or of functions that the version before must not overwrite with its own. Once released it
 * is never edited: a later change is another migration.
 */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** Statements that end in a semicolon each, and name no schema. */
  readonly sql: string;
}

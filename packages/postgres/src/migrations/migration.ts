/**
 * One change of the tables, or of functions that the previous version must not overwrite with its own functions. A
 * released migration is never edited; a later change is another migration.
 */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** Statements that each end in a semicolon and name no schema. */
  readonly sql: string;
}

import * as v from 'valibot';

type Keywords = {
  readonly enum?: readonly string[];
  readonly format?: 'date-time' | 'idn-email' | 'iri';
  readonly maximum?: number;
  /** In code points. */
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
};

/**
 * Adds keywords of JSON Schema for a check that the converter cannot find in a schema: one by a function, or one after
 * parsing. Checks nothing itself, so pass the constant that the check uses.
 */
export function describedAs<TInput>(keywords: Keywords) {
  return v.metadata<TInput, Keywords>(keywords);
}

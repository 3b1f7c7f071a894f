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
 * Describes, in keywords of JSON Schema, checks that a schema does not show: by a function, or after parsing. Checks
 * nothing itself, so pass the constant that the check uses.
 */
export function describedAs<TInput>(keywords: Keywords) {
  return v.metadata<TInput, Keywords>(keywords);
}

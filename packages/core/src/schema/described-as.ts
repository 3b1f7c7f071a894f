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
 * Describes in keywords of JSON Schema what a schema does not show: a check by a function, or one that is made later,
 * with a rejection of its own. Checks nothing itself: use the constant of the check here too.
 */
export function describedAs<TInput>(keywords: Keywords) {
  return v.metadata<TInput, Keywords>(keywords);
}

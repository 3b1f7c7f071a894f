import * as v from 'valibot';

type Keywords = {
  readonly enum?: readonly string[];
  readonly format?: 'date-time' | 'idn-email' | 'uri';
  readonly maximum?: number;
  /** In code points. */
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
};

/**
 * Says in keywords of JSON Schema what a schema does not show: what a function checks, or whoever is handed the
 * field, with a refusal that a schema has not. Checks nothing: whoever does should have the number from the same
 * constant.
 */
export function describedAs<TInput>(keywords: Keywords) {
  return v.metadata<TInput, Keywords>(keywords);
}

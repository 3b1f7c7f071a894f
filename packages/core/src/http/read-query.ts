import type * as v from 'valibot';
import { malformedFields } from '../errors.ts';
import { type FieldsSchema, parseFields } from '../schema/parse-fields.ts';
import { typedFields } from './typed-fields.ts';

/**
 * Reads the query parameters that a route knows; others are ignored, even if the schema is strict: proxies and browsers
 * add their own.
 *
 * @throws {AuthError} `invalid_request`: malformed, or given more than once, since another reader of the URL may use
 * the other value
 */
export function readQuery<TSchema extends FieldsSchema>(
  schema: TSchema,
  query: string,
): v.InferOutput<TSchema> {
  if (query === '') return parseFields(schema, {});
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    if (!Object.hasOwn(schema.entries, name)) continue;
    if (name in fields) {
      throw malformedFields([{ field: name, message: 'must be given once' }]);
    }
    fields[name] = value;
  }
  return parseFields(schema, typedFields(schema, fields));
}

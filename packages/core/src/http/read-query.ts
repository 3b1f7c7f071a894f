import type * as v from 'valibot';
import { malformedFields } from '../errors.ts';
import { type FieldsSchema, parseFields } from '../schema/parse-fields.ts';
import { typedFields } from './typed-fields.ts';

/**
 * Reads the query parameters of a route. Ignores others, even if the schema is strict, because proxies and browsers add
 * their own.
 *
 * @throws {AuthError} `invalid_request` if a parameter is malformed, or given twice: another reader of the URL may use
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

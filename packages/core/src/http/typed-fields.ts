import type * as v from 'valibot';
import type { FieldsSchema } from '../schema/parse-fields.ts';

/**
 * Converts the fields of a form or a query, which are all strings, to the types of their schema: an integer field
 * becomes a number. A value that cannot be converted stays a string, which the schema rejects as it does in JSON.
 */
export function typedFields(
  schema: FieldsSchema,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const entry = Object.hasOwn(schema.entries, name) ? schema.entries[name] : undefined;
    result[name] =
      typeof value === 'string' && entry !== undefined ? typedValue(baseType(entry), value) : value;
  }
  return result;
}

function typedValue(type: string, value: string): unknown {
  return type === 'number' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
}

/** The innermost type of a schema: `number` for `optional(pipe(number(), ...))`. */
function baseType(schema: v.GenericSchema): string {
  if ('wrapped' in schema) return baseType(schema.wrapped as v.GenericSchema);
  return schema.type;
}

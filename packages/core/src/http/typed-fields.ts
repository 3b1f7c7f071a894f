import type * as v from 'valibot';
import type { FieldsSchema } from '../schema/parse-fields.ts';

/**
 * Converts the fields of a form or a query, all of them strings, to the types that their schema asks for: an integer
 * field becomes a number. A value that does not fit stays a string, and fails the schema as it would in JSON.
 */
export function typedFields(
  schema: FieldsSchema,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const typed: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const entry = Object.hasOwn(schema.entries, name) ? schema.entries[name] : undefined;
    typed[name] =
      typeof value === 'string' && entry !== undefined ? typedValue(baseType(entry), value) : value;
  }
  return typed;
}

function typedValue(type: string, value: string): unknown {
  return type === 'number' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
}

/** The type at the bottom of `optional(pipe(number(), ...))`. */
function baseType(schema: v.GenericSchema): string {
  if ('wrapped' in schema) return baseType(schema.wrapped as v.GenericSchema);
  return schema.type;
}

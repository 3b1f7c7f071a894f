import type * as v from 'valibot';
import { splitCommaList } from './comma-list.ts';
import type { FieldsSchema } from './parse-fields.ts';

/**
 * Gives the fields of a form, all of them strings, the types that the schema of the JSON body asks for: an
 * integer field its number, a list field its comma separated items. What does not fit stays a string, and
 * fails the schema as it would have in JSON. A parameter without a value counts as omitted (RFC 6749 3.2).
 */
export function typedFormFields(
  schema: FieldsSchema,
  form: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const typed: Record<string, unknown> = Object.create(null);
  for (const [name, entry] of Object.entries(schema.entries)) {
    const value = Object.hasOwn(form, name) ? form[name] : undefined;
    if (value === undefined || value === '') continue;
    typed[name] = typeof value === 'string' ? typedValue(baseType(entry), value) : value;
  }
  return typed;
}

function typedValue(type: string, value: string): unknown {
  if (type === 'number' && /^-?\d{1,16}$/.test(value)) return Number(value);
  if (type === 'array') return splitCommaList(value);
  return value;
}

/** The type at the bottom of `optional(pipe(number(), ...))`. */
function baseType(schema: v.GenericSchema): string {
  if ('wrapped' in schema) return baseType(schema.wrapped as v.GenericSchema);
  return schema.type;
}

import * as v from 'valibot';
import { type FieldError, malformedFields } from '../errors.ts';

/** A schema of named fields. It leaves out unknown fields (RFC 6749 3.2); a strict schema rejects them. */
export type FieldsSchema =
  | v.ObjectSchema<v.ObjectEntries, undefined>
  | v.StrictObjectSchema<v.ObjectEntries, undefined>;

/** The result of {@link checkFields}. */
export type FieldsCheck<TSchema extends FieldsSchema> =
  | { readonly outcome: 'accepted'; readonly values: v.InferOutput<TSchema> }
  | { readonly outcome: 'rejected'; readonly fields: readonly FieldError[] };

/**
 * Reads fields by a schema.
 *
 * Security: only own properties are read, so that no `__proto__` in a body becomes a field. The message of an error is
 * the schema's constant text, never the library's, which quotes the input.
 */
export function checkFields<TSchema extends FieldsSchema>(
  schema: TSchema,
  fields: Readonly<Record<string, unknown>>,
): FieldsCheck<TSchema> {
  const result = v.safeParse(schema, ownFields(schema, fields), { abortPipeEarly: true });
  if (result.success) return { outcome: 'accepted', values: result.output };
  return { outcome: 'rejected', fields: result.issues.map(fieldError) };
}

/**
 * Reads the fields of a request, as `checkFields` does.
 *
 * @throws {AuthError} `invalid_request`, naming the fields
 */
export function parseFields<TSchema extends FieldsSchema>(
  schema: TSchema,
  fields: Readonly<Record<string, unknown>>,
): v.InferOutput<TSchema> {
  const check = checkFields(schema, fields);
  if (check.outcome === 'accepted') return check.values;
  throw malformedFields(check.fields);
}

function ownFields(
  schema: FieldsSchema,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const own: Record<string, unknown> = Object.create(null);
  // A strict schema must see unknown fields too, to reject them.
  for (const name of Object.keys(schema.type === 'strict_object' ? fields : schema.entries)) {
    if (Object.hasOwn(fields, name)) own[name] = fields[name];
  }
  return own;
}

function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  return { field: v.getDotPath(issue) ?? '', message: message(issue) };
}

function message(issue: v.BaseIssue<unknown>): string {
  // For missing and unknown entries, the library has its own messages, which quote the input.
  if (issue.type !== 'object' && issue.type !== 'strict_object') return issue.message;
  return issue.expected === 'never' ? 'is unknown' : 'is required';
}

import * as v from 'valibot';
import { AuthError, type FieldError } from '../errors.ts';

/** A schema of named fields; unknown ones are left out of the result (RFC 6749 3.2). */
export type FieldsSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/**
 * Reads fields by a schema.
 *
 * Security: only own properties are looked at, so that no `__proto__` in a body becomes a field; and a
 * schema's message is its own constant text, never the library's, which quotes what was sent.
 *
 * @throws {AuthError} `invalid_request`, naming the fields
 */
export function parseFields<TSchema extends FieldsSchema>(
  schema: TSchema,
  fields: Readonly<Record<string, unknown>>,
): v.InferOutput<TSchema> {
  const own: Record<string, unknown> = Object.create(null);
  for (const name in schema.entries) {
    if (Object.hasOwn(fields, name)) own[name] = fields[name];
  }
  const result = v.safeParse(schema, own, { abortPipeEarly: true });
  if (result.success) return result.output;
  throw new AuthError('invalid_request', 'The request is malformed.', {
    fields: result.issues.map(fieldError),
  });
}

function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  const field = String(issue.path?.[0]?.key ?? '');
  // An object reports a missing entry itself, and names what it expected: that message is not ours.
  return { field, message: issue.type === 'object' ? 'is required' : issue.message };
}

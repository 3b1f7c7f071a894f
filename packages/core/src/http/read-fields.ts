import type * as v from 'valibot';
import { AuthError, malformedFields } from '../errors.ts';
import { type FieldsSchema, parseFields } from '../schema/parse-fields.ts';
import type { AuthRequest, UnreadableReason } from './messages.ts';

/** The size of the largest body that is read. */
export const MAX_REQUEST_BYTES = 16_384;

export type BodyFormat = 'json' | 'form';

/** The fields of a body, before validation. Empty fields of a form are left out. */
export interface BodyFields {
  readonly format: BodyFormat;
  readonly fields: Readonly<Record<string, unknown>>;
}

const MEDIA_TYPES: Readonly<Record<string, BodyFormat>> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the fields of the body, whether the host has parsed it or not.
 *
 * @throws {AuthError} `unsupported_media_type`, `body_too_large`, `body_timeout`, `invalid_request`, and
 * `server_error` if the host has consumed the body and not kept it
 */
export function readBody(request: AuthRequest, formats: readonly BodyFormat[]): BodyFields {
  const { body } = request;
  if (body.kind === 'unreadable') throw rejectionOfUnreadable(body.reason);
  if (request.headers['content-encoding'] !== undefined) {
    throw new AuthError('unsupported_media_type', 'Send the body without Content-Encoding.');
  }
  const format = bodyFormat(request, formats);
  if (body.kind === 'none') return { format, fields: {} };
  if (body.kind === 'parsed') {
    // The host's parser may have a higher limit.
    if (Number(header(request, 'content-length') ?? 0) > MAX_REQUEST_BYTES) throw tooLarge();
    const fields = asFields(body.value);
    return { format, fields: format === 'json' ? fields : withoutEmpty(fields) };
  }
  if (body.bytes.length > MAX_REQUEST_BYTES) throw tooLarge();
  const text = decodeUtf8(body.bytes);
  return { format, fields: format === 'json' ? jsonFields(text) : withoutEmpty(formFields(text)) };
}

/** Validates the fields of a body, of either format, by a schema. */
export function parseBody<TSchema extends FieldsSchema>(
  schema: TSchema,
  { format, fields }: BodyFields,
): v.InferOutput<TSchema> {
  return parseFields(schema, format === 'form' ? typedFields(schema, fields) : fields);
}

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

/**
 * Converts the fields of a form or a query, which are all strings, to the types of their schema: an integer field
 * becomes a number. A value that cannot be converted stays a string, which the schema rejects as it does in JSON.
 */
function typedFields(
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

/** A safe integer has 16 digits at most: a longer text stays text. The schema rejects text, and unsafe numbers. */
function typedValue(type: string, value: string): unknown {
  return type === 'number' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
}

/** The innermost type of a schema: `number` for `optional(pipe(number(), ...))`. */
function baseType(schema: v.GenericSchema): string {
  if ('wrapped' in schema) return baseType(schema.wrapped as v.GenericSchema);
  return schema.type;
}

/** RFC 6749 3.2: a parameter without a value counts as omitted. */
function withoutEmpty(form: BodyFields['fields']): BodyFields['fields'] {
  const fields: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(form)) {
    if (form[name] !== '') fields[name] = form[name];
  }
  return fields;
}

function bodyFormat(request: AuthRequest, formats: readonly BodyFormat[]): BodyFormat {
  const contentType = header(request, 'content-type');
  if (contentType === undefined && request.body.kind === 'none') return 'json';
  const [mediaType = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const format = MEDIA_TYPES[mediaType.trim()];
  if (format === undefined || !formats.includes(format) || !parameters.every(permitsUtf8)) {
    throw new AuthError(
      'unsupported_media_type',
      formats.includes('form')
        ? 'Send the body as JSON or as a form, in UTF-8.'
        : 'Send the body as JSON in UTF-8.',
    );
  }
  return format;
}

/** Whether a parameter of the media type permits UTF-8: only another `charset` does not. */
function permitsUtf8(parameter: string): boolean {
  const [name = '', ...value] = parameter.split('=');
  if (name.trim() !== 'charset') return true;
  return ['utf-8', 'utf8', '"utf-8"', '"utf8"'].includes(value.join('=').trim());
}

function header(request: AuthRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'object' ? value[0] : value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
}

function jsonFields(text: string): BodyFields['fields'] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('The body is not JSON.');
  }
  return asFields(value);
}

function formFields(text: string): BodyFields['fields'] {
  assertUtf8Escapes(text);
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    // RFC 6749 3.2: a parameter must not be included more than once.
    if (name in fields) throw malformed('A parameter is given more than once.');
    fields[name] = value;
  }
  return fields;
}

/**
 * `URLSearchParams` would replace every byte that is not UTF-8 by the same character, so that different passwords would
 * be equal. If a parser of the host has decoded the body, such bytes can no longer be detected.
 */
function assertUtf8Escapes(text: string): void {
  try {
    // In a callback, because bundlers drop a call of `decodeURIComponent` with an unused result, although it may throw.
    text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => decodeURIComponent(escapes));
  } catch {
    throw malformed('The body is not UTF-8.');
  }
}

function asFields(value: unknown): BodyFields['fields'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('The body must be an object.');
  }
  return value as BodyFields['fields'];
}

function rejectionOfUnreadable(reason: UnreadableReason): AuthError {
  switch (reason) {
    case 'too_large':
      return tooLarge();
    case 'timeout':
      return new AuthError('body_timeout', 'The body did not arrive in time.');
    case 'aborted':
      return malformed('The body broke off.');
    case 'consumed':
      return new AuthError(
        'server_error',
        'The request body was consumed before it reached Latchhook. Mount Latchhook before what reads it, or parse it as JSON or a form.',
        { reason: 'the host consumed the body and left it neither parsed nor raw' },
      );
  }
}

function tooLarge(): AuthError {
  return new AuthError('body_too_large', `The body is larger than ${MAX_REQUEST_BYTES} bytes.`);
}

function malformed(description: string): AuthError {
  return new AuthError('invalid_request', description);
}

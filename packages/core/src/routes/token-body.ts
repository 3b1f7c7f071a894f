import * as v from 'valibot';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import { named, schemaName } from '../schema/named.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import type { RouteBody } from './route.ts';

/** Standard OAuth clients send forms. */
export const TOKEN_FORMATS = ['json', 'form'] as const;

/** The body of a token endpoint. */
export function tokenBody<TSchema extends FieldsSchema>(schema: TSchema): RouteBody<TSchema> {
  return { formats: TOKEN_FORMATS, schemas: [schema] };
}

/** The body of a token endpoint that spells some fields differently in a form and in JSON. */
export function tokenBodyOrForm<TJson extends FieldsSchema, TForm extends FieldsSchema>(
  json: TJson,
  form: TForm,
): RouteBody<TJson | TForm> {
  return {
    formats: TOKEN_FORMATS,
    schemas: [json, form],
    describedSchemas: [json],
    describedFormSchemas: [form],
    selectSchema: ({ format }) => (format === 'form' ? form : json),
  };
}

/**
 * The body of a token endpoint, whose `field` is a token. A client that asks for cookies may leave the field out: then
 * the token in its cookies is used.
 *
 * @param cookies - absent: cookies are not used, and the body is returned unchanged
 */
export function withTokenFromCookie<TSchema extends FieldsSchema>(
  field: string,
  body: RouteBody<TSchema>,
  cookies: SessionCookies | undefined,
): RouteBody<TSchema> {
  if (cookies === undefined) return body;
  return {
    ...body,
    describedSchemas: body.schemas.map((schema) => withOptional(field, schema)),
    addFields(bodyFields, request) {
      const requestedCookies = cookies.requestedBy(request);
      if (requestedCookies === undefined || Object.hasOwn(bodyFields.fields, field))
        return bodyFields;
      const token = requestedCookies.tokenOf(request);
      return { ...bodyFields, fields: { ...bodyFields.fields, [field]: token } };
    },
  };
}

/** For the OpenAPI description: clients with cookies need not send the field. */
function withOptional<TSchema extends FieldsSchema>(field: string, schema: TSchema): TSchema {
  const entry = schema.entries[field];
  const name = schemaName(schema);
  if (entry === undefined || name === undefined || entry.type === 'optional') return schema;
  return named(name, { ...schema, entries: { ...schema.entries, [field]: v.optional(entry) } });
}

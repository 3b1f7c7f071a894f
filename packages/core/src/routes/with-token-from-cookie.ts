import * as v from 'valibot';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import { named, schemaName } from '../schema/named.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import type { RouteBody } from './route.ts';

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
      const cookieMode = cookies.requestedBy(request);
      if (cookieMode === undefined || Object.hasOwn(bodyFields.fields, field)) return bodyFields;
      const token = cookieMode.tokenOf(request);
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

import * as v from 'valibot';
import { requestedCookies, type SessionCookies } from '../cookies/session-cookies.ts';
import { named, nameOf } from '../schema/named.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import type { RouteBody } from './route.ts';

/**
 * The body of a token endpoint in which `field` is a token of the client. A client that asks for cookies may leave the
 * field out: then the token in its cookies is used.
 *
 * @param cookies - absent: cookies are not used, and the body is returned unchanged
 */
export function tokenFromCookie<TSchema extends FieldsSchema>(
  field: string,
  body: RouteBody<TSchema>,
  cookies: SessionCookies | undefined,
): RouteBody<TSchema> {
  if (cookies === undefined) return body;
  return {
    ...body,
    describedSchemas: body.schemas.map((schema) => withOptional(field, schema)),
    addFields(sent, request) {
      const cookieMode = requestedCookies(cookies, request);
      if (cookieMode === undefined || Object.hasOwn(sent.fields, field)) return sent;
      return { ...sent, fields: { ...sent.fields, [field]: cookieMode.tokenOf(request) } };
    },
  };
}

/** For the OpenAPI description: clients with cookies need not send the field. */
function withOptional<TSchema extends FieldsSchema>(field: string, schema: TSchema): TSchema {
  const entry = schema.entries[field];
  const name = nameOf(schema);
  if (entry === undefined || name === undefined || entry.type === 'optional') return schema;
  return named(name, { ...schema, entries: { ...schema.entries, [field]: v.optional(entry) } });
}

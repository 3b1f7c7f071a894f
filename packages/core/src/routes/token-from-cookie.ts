import * as v from 'valibot';
import { requestedCookies, type SessionCookies } from '../cookies/session-cookies.ts';
import { named, nameOf } from '../schema/named.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import type { RouteBody } from './route.ts';

/**
 * The body of a token endpoint whose field `field` is a token of the client. A client that asks for cookies may leave
 * it out: then the token in its cookies is used.
 *
 * @param cookies - absent: cookies are not used, and the body stays as it is
 */
export function tokenFromCookie<TSchema extends FieldsSchema>(
  field: string,
  body: RouteBody<TSchema>,
  cookies: SessionCookies | undefined,
): RouteBody<TSchema> {
  if (cookies === undefined) return body;
  return {
    ...body,
    schemas: body.schemas.map((schema) => describedWithout(field, schema)),
    complete(sent, request) {
      const cookieMode = requestedCookies(cookies, request);
      if (cookieMode === undefined || Object.hasOwn(sent.fields, field)) return sent;
      return { ...sent, fields: { ...sent.fields, [field]: cookieMode.tokenOf(request) } };
    },
  };
}

/** For the OpenAPI description, in which the field is then not required. */
function describedWithout<TSchema extends FieldsSchema>(field: string, schema: TSchema): TSchema {
  const entry = schema.entries[field];
  const name = nameOf(schema);
  if (entry === undefined || name === undefined || entry.type === 'optional') return schema;
  return named(name, { ...schema, entries: { ...schema.entries, [field]: v.optional(entry) } });
}

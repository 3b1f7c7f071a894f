import type * as v from 'valibot';
import type { AuthRequest, AuthResponse } from '../http/messages.ts';
import { parseBody, readBody } from '../http/read-body.ts';
import { readQuery } from '../http/read-query.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import type { Route, RouteBody } from './route.ts';

/** What a handler is given: what its route declares, read by the schemas that it declares. */
export interface RouteInput<TQuery extends FieldsSchema, TBody extends FieldsSchema> {
  readonly query: FieldsOf<TQuery>;
  readonly body: FieldsOf<TBody>;
}

/** `never` stands for a schema that the route does not have. */
type FieldsOf<TSchema extends FieldsSchema> = [TSchema] extends [never]
  ? undefined
  : v.InferOutput<TSchema>;

export interface RouteDefinition<TQuery extends FieldsSchema, TBody extends FieldsSchema>
  extends Omit<Route, 'query' | 'body' | 'handle'> {
  readonly query?: TQuery;
  readonly body?: RouteBody<TBody>;
  handle(
    input: RouteInput<TQuery, TBody>,
    request: AuthRequest,
  ): AuthResponse | Promise<AuthResponse>;
}

/** Makes a route whose query and body are read by what it declares of them, before its handler is called. */
export function defineRoute<
  TQuery extends FieldsSchema = never,
  TBody extends FieldsSchema = never,
>(definition: RouteDefinition<TQuery, TBody>): Route {
  const { query, body } = definition;
  return {
    ...definition,
    handle(request) {
      const input = {
        query: query && readQuery(query, request.query),
        body: body && readFields(body, request),
      };
      // The compiler does not see that a schema is absent exactly where its type is `never`.
      return definition.handle(input as RouteInput<TQuery, TBody>, request);
    },
  };
}

function readFields<TBody extends FieldsSchema>(
  { formats, pick }: RouteBody<TBody>,
  request: AuthRequest,
): v.InferOutput<TBody> {
  const body = readBody(request, formats);
  return parseBody(pick(body), body);
}

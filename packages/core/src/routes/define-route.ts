import * as v from 'valibot';
import type { AuthOf, RouteAuth } from '../bearer/authorize-request.ts';
import { notFound } from '../errors.ts';
import type { RouteContext } from '../http/dispatch.ts';
import type { AuthRequest, AuthResponse, RequestBody } from '../http/messages.ts';
import { type ParamName, type PathParams, paramNames } from '../http/path-pattern.ts';
import { parseBody, readBody, readQuery } from '../http/read-fields.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { FieldsSchema } from '../schema/parse-fields.ts';
import { isPossibleId } from '../schema/possible-id.ts';
import { jsonBody } from './json-body.ts';
import { commitOrUndo, type PendingChange } from './pending-change.ts';
import type { Route, RouteBody } from './route.ts';

/** The input of a handler: the parts of the request that its route declares, as read by the declared schemas. */
export interface RouteInput<
  TPath extends string,
  TAuth extends RouteAuth,
  TQuery extends FieldsSchema,
  TBody extends FieldsSchema,
> {
  readonly auth: [TAuth] extends [never] ? undefined : AuthOf<TAuth>;
  readonly params: ParamsOf<TPath>;
  readonly query: FieldsOf<TQuery>;
  readonly body: FieldsOf<TBody>;
}

/** The parameters of a path, by their names in it. */
type ParamsOf<TPath extends string> = [ParamName<TPath>] extends [never]
  ? undefined
  : { readonly [Name in ParamName<TPath>]: string };

/** `never` stands for a schema that the route does not have. */
type FieldsOf<TSchema extends FieldsSchema> = [TSchema] extends [never]
  ? undefined
  : v.InferOutput<TSchema>;

/** A `POST` that declares no body accepts none, or one without fields. */
const NO_FIELDS = jsonBody(v.strictObject({}));

export interface RouteDefinition<
  TPath extends string,
  TAuth extends RouteAuth,
  TQuery extends FieldsSchema,
  TBody extends FieldsSchema,
> extends Omit<Route, 'path' | 'auth' | 'query' | 'body' | 'handle'> {
  readonly path: TPath;
  readonly auth?: TAuth;
  readonly query?: TQuery;
  readonly body?: RouteBody<TBody>;
  /**
   * Returns a {@link PendingChange} if it creates something that outlives the credential, and calls
   * `assertCredentialValid` right before a change that cannot be undone.
   */
  handle(
    input: RouteInput<TPath, TAuth, TQuery, TBody>,
    request: AuthRequest,
    assertCredentialValid: RouteContext['assertCredentialValid'],
  ): MaybePromise<AuthResponse | PendingChange>;
}

/**
 * Makes a route that reads the declared parameters, query and body before its handler is called. Dispatch has
 * authenticated the request before that. If the handler returns a {@link PendingChange}, the credential is checked
 * again, and if it has ended, the change is undone.
 */
export function defineRoute<
  const TPath extends string,
  const TAuth extends RouteAuth = never,
  TQuery extends FieldsSchema = never,
  TBody extends FieldsSchema = never,
>(definition: RouteDefinition<TPath, TAuth, TQuery, TBody>): Route {
  const { method, path, query, body } = definition;
  const hasParams = paramNames(path).length > 0;
  return {
    ...definition,
    async handle(request, { auth, params, assertCredentialValid }) {
      if (method === 'POST' && body === undefined) assertNoFields(request);
      const input = {
        auth,
        query: query && readQuery(query, request.query),
        body: body && readFields(body, request),
        // Checked last, like ids that only a store can reject: errors in the query and the body come first.
        params: hasParams ? requirePossibleIds(params) : undefined,
        // The cast is safe: a part is absent exactly if its type is `never`.
      } as RouteInput<TPath, TAuth, TQuery, TBody>;
      const result = await definition.handle(input, request, assertCredentialValid);
      return 'response' in result ? commitOrUndo(result, assertCredentialValid) : result;
    },
  };
}

/** Bodies that clients send if they have no fields to send. */
const EMPTY_BODIES: readonly string[] = ['', '{}', '[]', 'null'];
const LONGEST_EMPTY_BODY = 4;

/**
 * Rejects fields that would be ignored: a client that sends its own secret must not be answered with another one. A
 * body that the host has consumed is accepted because the route does not need it.
 *
 * @throws {AuthError} as for any body; `invalid_request` for each field
 */
function assertNoFields(request: AuthRequest): void {
  if (!isEmpty(request.body)) readFields(NO_FIELDS, request);
}

function isEmpty(body: RequestBody): boolean {
  switch (body.kind) {
    case 'none':
      return true;
    case 'raw':
      return (
        body.bytes.length <= LONGEST_EMPTY_BODY &&
        EMPTY_BODIES.includes(Buffer.from(body.bytes).toString())
      );
    case 'parsed':
      return Object.keys(Object(body.value)).length === 0;
    case 'unreadable':
      return body.reason === 'consumed';
  }
}

function readFields<TBody extends FieldsSchema>(
  { formats, schemas, selectSchema, addFields }: RouteBody<TBody>,
  request: AuthRequest,
): v.InferOutput<TBody> {
  const bodyFields = readBody(request, formats);
  const body = addFields === undefined ? bodyFields : addFields(bodyFields, request);
  return parseBody(selectSchema === undefined ? schemas[0] : selectSchema(body), body);
}

/**
 * Every parameter is an id. An id that Latchhook cannot have made is answered as unknown, without asking a store.
 *
 * @throws {AuthError} `not_found`
 */
function requirePossibleIds(params: PathParams): PathParams {
  if (Object.values(params).every(isPossibleId)) return params;
  throw notFound();
}

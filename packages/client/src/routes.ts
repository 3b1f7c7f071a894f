import type { paths as Paths } from './generated/openapi.ts';
import type { AccountId } from './stored-login.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** All routes of Latchhook, as `GET /webhooks/{id}`. An app may not have all of them. */
export type Route = {
  [Path in keyof Paths]: {
    [Verb in Method]: [NonNullable<Paths[Path][Verb]>] extends [never]
      ? never
      : `${Uppercase<Verb>} ${Path}`;
  }[Method];
}[keyof Paths];

type Operation<Of extends Route> = Of extends `${infer Verb} ${infer Path extends keyof Paths}`
  ? Lowercase<Verb> extends infer Key extends keyof Paths[Path]
    ? NonNullable<Paths[Path][Key]>
    : never
  : never;

/** The request of a route. */
export type RouteRequest<Of extends Route> = Part<'path', Parameters<Operation<Of>, 'path'>> &
  Part<'query', OrUndefined<Parameters<Operation<Of>, 'query'>>> &
  Part<'body', Json<NonNullable<RequestBody<Operation<Of>>>>>;

/** The successful response of a route; undefined if empty. */
export type RouteAnswer<Of extends Route> =
  Operation<Of> extends { readonly responses: infer Responses }
    ? {
        [Status in keyof Responses & (200 | 201 | 202 | 204)]: Json<Responses[Status]>;
      }[keyof Responses & (200 | 201 | 202 | 204)]
    : never;

/** Calls a route; the request is optional if nothing in it is required. */
export type RequestRoute<Id extends AccountId = number> = <Of extends Route>(
  route: Of,
  ...request: Record<never, never> extends RouteRequest<Of>
    ? [request?: WithAccounts<RouteRequest<Of>, Id>]
    : [request: WithAccounts<RouteRequest<Of>, Id>]
) => Promise<WithAccounts<RouteAnswer<Of>, Id>>;

/** Replaces the account ids of the OpenAPI document, which are integers there, by `Id`. */
type WithAccounts<Value, Id extends AccountId> = [Id] extends [number]
  ? Value
  : Value extends string
    ? Value
    : Value extends object
      ? {
          [Key in keyof Value]: Key extends 'account_id' | 'accounts'
            ? AccountIdsAs<Value[Key], Id>
            : WithAccounts<Value[Key], Id>;
        }
      : Value;

type AccountIdsAs<Value, Id> = Value extends number
  ? Id
  : Value extends readonly number[]
    ? readonly Id[]
    : Value;

type Parameters<One, In extends string> = One extends {
  readonly parameters: { readonly [Key in In]?: infer Values };
}
  ? NonNullable<Values>
  : never;

/** An app may pass on a setting of its page that is undefined: `client.request` leaves it out. */
type OrUndefined<Values> = { readonly [Key in keyof Values]: Values[Key] | undefined };

type RequestBody<One> = One extends { readonly requestBody?: infer Body } ? Body : never;

type Json<Content> = Content extends {
  readonly content: { readonly 'application/json': infer Body };
}
  ? WithCustomNames<Body>
  : undefined;

type DefaultScope = 'user' | 'admin' | 'internal' | 'auth';

/** Adds `string` to scopes and events because an app may have custom ones that are not in the OpenAPI document. */
type WithCustomNames<Body> = Body extends readonly (infer Item)[]
  ? [Item] extends [DefaultScope]
    ? readonly (Item | (string & Record<never, never>))[]
    : readonly WithCustomNames<Item>[]
  : Body extends object
    ? {
        [Key in keyof Body]: Key extends 'event'
          ? Body[Key] | (string & Record<never, never>)
          : WithCustomNames<Body[Key]>;
      }
    : Body;

/** A member of a request: absent if the route has no such part, optional if nothing in it is required. */
type Part<Name extends string, Value> = [Value] extends [never | undefined]
  ? unknown
  : Record<never, never> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

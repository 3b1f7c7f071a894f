// `@latchhook/client/openapi`: the types of all routes, in the form of openapi-typescript and in that of
// `client.request`.

export type { components, operations, paths } from '../generated/openapi.ts';
export type { RequestRoute, Route, RouteAnswer, RouteRequest } from '../routes.ts';

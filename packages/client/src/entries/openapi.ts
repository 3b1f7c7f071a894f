// `@latchhook/client/openapi`: the types of all routes, as openapi-typescript makes them, and as `client.request` has
// them.

export type { components, operations, paths } from '../generated/openapi.ts';
export type { RequestRoute, Route, RouteAnswer, RouteRequest } from '../routes.ts';

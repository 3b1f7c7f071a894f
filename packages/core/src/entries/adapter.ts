// `@latchhook/core/adapter`: for authors of framework adapters. Requests and responses as plain data, the routes and
// the bearer check. Each name is in one entry only: names that apps use too, such as `Auth`, are in `../index.ts`.

import '../loading/sole-copy.ts';

export type { Bearer, BearerOutcome, BearerRequirement } from '../bearer/bearer.ts';
export { guardedAuth } from '../bearer/guarded-auth.ts';
export { assertRoutes } from '../http/assert-routes.ts';
export type { HttpRoutes } from '../http/http-routes.ts';
export type { AuthRequest, AuthResponse, RequestBody, UnreadableReason } from '../http/messages.ts';
export {
  type IncomingHeaders,
  readNodeBody,
  soleAuthorization,
} from '../http/read-node-request.ts';
export type { RequestHead } from '../http/request-head.ts';
export { warnOfPreflight } from '../http/warn-of-preflight.ts';
export { assertRequirement } from '../options/assert-requirement.ts';

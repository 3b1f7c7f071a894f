export { authOf } from './auth-of.ts';
export { type ExpressHandler, latchhook } from './latchhook.ts';
export { type RouteRequest, type RouteRequirement, requireAuth } from './require-auth.ts';
export type { ExpressRequest } from './to-auth-request.ts';

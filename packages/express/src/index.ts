export { authOf } from './auth-of.ts';
export { type ExpressHandler, type ExpressRequest, latchhook } from './latchhook.ts';
export { type RouteRequest, type RouteRequirement, requireAuth } from './require-auth.ts';

export { authOf } from './auth-of.ts';
export { latchhook } from './latchhook.ts';
export {
  type AuthState,
  type RouteContext,
  type RouteRequirement,
  requireAuth,
} from './require-auth.ts';

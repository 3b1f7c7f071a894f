export type {
  AccessTokenInfo,
  Auth,
  Bearer,
  BearerOutcome,
  BearerRequirement,
  Factors,
  HttpRoutes,
  SecurityEvents,
  Sessions,
} from './auth.ts';
export {
  AuthError,
  type AuthErrorCode,
  type AuthErrorDetails,
  ConfigError,
  type FieldError,
  StorageUnavailableError,
} from './errors.ts';
export type { AuthRequest, AuthResponse, RequestBody } from './http/messages.ts';
export type { Clock } from './ports/clock.ts';
export type {
  Origin,
  SecurityEvent,
  SecurityEventType,
  TimedSecurityEvent,
} from './ports/telemetry.ts';
export { SCOPES, type Scope } from './scope.ts';
export type {
  AttemptLimits,
  ChallengeContext,
  ChallengeRef,
  ChallengeStore,
  CompleteOutcome,
  CompleteRequest,
  NewChallenge,
  ReserveOutcome,
} from './storage/challenge-store.ts';
export type {
  Limiter,
  LimiterFactory,
  LimiterOptions,
  LimiterState,
} from './storage/limiter.ts';
export { type MemoryStorageOptions, memoryStorage } from './storage/memory/memory-storage.ts';
export type {
  NewSession,
  RotateOutcome,
  RotateRequest,
  SessionGrant,
  SessionRecord,
  SessionRef,
  SessionStore,
} from './storage/session-store.ts';
export type { Storage } from './storage/storage.ts';
export type { User, UserDirectory, UserMfa } from './users.ts';

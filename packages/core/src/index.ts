export { assertNames, type NamesOf } from './assert-names.ts';
export type { Auth } from './auth.ts';
export type { AuthOptions, KeyOptions, LifetimeOptions, MfaOptions } from './auth-options.ts';
export { type Awaitable, isPromise } from './awaitable.ts';
export type { AuthInfo } from './bearer/auth-info.ts';
export { type IncomingHeaders, soleAuthorization } from './bearer/authorization-header.ts';
export type { Bearer, BearerOutcome, BearerRequirement } from './bearer/bearer.ts';
export { boundedInteger } from './bounded-integer.ts';
export { createAuth } from './create-auth.ts';
export { createDeliveryContext, type DeliveryContextOptions } from './create-delivery-context.ts';
export {
  AuthError,
  type AuthErrorCode,
  type AuthErrorDetails,
  ConfigError,
  type ConfigErrorCode,
  type FieldError,
  StorageUnavailableError,
} from './errors.ts';
export { assertRoutes } from './http/assert-routes.ts';
export type { HttpRoutes } from './http/http-routes.ts';
export type {
  AuthRequest,
  AuthResponse,
  RequestBody,
  UnreadableReason,
} from './http/messages.ts';
export { readNodeBody } from './http/read-node-body.ts';
export {
  type FetchClientInfo,
  type FetchHandler,
  type FetchHandlerOptions,
  toFetchHandler,
} from './http/to-fetch-handler.ts';
export type { KeyControl, ResealReport } from './keys/key-control.ts';
export type { Resealed } from './keys/reseal.ts';
export type { PublicJwk, SigningAlgorithm, SigningKeyMaterial } from './keys/signing-key.ts';
export type { ScheduledSigningKey, SigningKeyInput } from './keys/signing-keys.ts';
export type { Factors } from './mfa/factor-control.ts';
export { assertRequirement } from './options/assert-requirement.ts';
export type {
  HostPasswordVerifier,
  PasswordOptions,
} from './passwords/password-options.ts';
export type { PasswordNormalization } from './passwords/password-text.ts';
export type { HashOutcome } from './passwords/password-verifier.ts';
export { type BcryptSchemeOptions, bcryptScheme } from './passwords/schemes/bcrypt-scheme.ts';
export type { PasswordScheme, SchemeAnswer } from './passwords/schemes/password-scheme.ts';
export { pbkdf2Scheme } from './passwords/schemes/pbkdf2-scheme.ts';
export { scryptScheme } from './passwords/schemes/scrypt-scheme.ts';
export { PERSONAL_ACCESS_TOKEN_PATTERN } from './personal-access-tokens/personal-access-token.ts';
export type { PersonalAccessTokens } from './personal-access-tokens/personal-access-token-control.ts';
export type { PersonalAccessTokenInfo } from './personal-access-tokens/personal-access-token-info.ts';
export type { PersonalAccessTokenOptions } from './personal-access-tokens/personal-access-token-options.ts';
export { type Clock, monotonicMs, systemClock } from './ports/clock.ts';
export type { Actor } from './ports/events/actor.ts';
export type {
  ChallengeFailureReason,
  FactorSecurityEvent,
} from './ports/events/factor-security-event.ts';
export type { FaultSecurityEvent } from './ports/events/fault-security-event.ts';
export type {
  LoginFailureReason,
  LoginSecurityEvent,
} from './ports/events/login-security-event.ts';
export type { Origin } from './ports/events/origin.ts';
export type { PersonalAccessTokenSecurityEvent } from './ports/events/personal-access-token-security-event.ts';
export type {
  SessionRefusalReason,
  SessionSecurityEvent,
} from './ports/events/session-security-event.ts';
export type { WebhookSecurityEvent } from './ports/events/webhook-security-event.ts';
export type {
  SecurityEvent,
  SecurityEventListener,
  SecurityEvents,
  SecurityEventType,
  TimedSecurityEvent,
} from './ports/security-events.ts';
export { systemTimers, type Timers } from './ports/timers.ts';
export type { Deprecation } from './routes/put-token.ts';
export { SCOPES, type Scope } from './scope.ts';
export type { Sessions } from './sessions/session-control.ts';
export {
  ATTEMPTS_KEPT,
  type AttemptRecord,
  type AttemptResult,
  type ListedAttempt,
  MAX_RESPONSE_BYTES,
  RESPONSES_KEPT,
} from './storage/attempt-record.ts';
export type {
  ChallengeContext,
  ChallengeRef,
  ChallengeStore,
  CodeAttemptLimits,
  CompleteOutcome,
  CompleteRequest,
  CreateChallengeOutcome,
  NewChallenge,
  ReserveOutcome,
} from './storage/challenge-store.ts';
export type { ChallengeState } from './storage/decisions/challenge-state.ts';
export { type AttemptChange, decideAttempt } from './storage/decisions/decide-attempt.ts';
export { decideChallengeCreation } from './storage/decisions/decide-challenge-creation.ts';
export { type CompletionChange, decideCompletion } from './storage/decisions/decide-completion.ts';
export { decideRotation } from './storage/decisions/decide-rotation.ts';
export { decideSessionCreation } from './storage/decisions/decide-session-creation.ts';
export type { Decision } from './storage/decisions/decision.ts';
export { type FactorState, unlockFactor } from './storage/decisions/factor-state.ts';
export {
  isSessionAlive,
  liveSessions,
  type SessionState,
  sessionEndsAtMs,
} from './storage/decisions/session-state.ts';
export {
  DEAD_REASONS,
  DELIVERY_STATES,
  type DeadReason,
  type DeliveryRecord,
  type DeliveryRef,
  type DeliveryState,
  type ListedDelivery,
} from './storage/delivery-record.ts';
export type {
  DeliveryStore,
  FinishOutcome,
  FinishRequest,
  NextDelivery,
  PublishOutcome,
  RescheduledDelivery,
  ResendOutcome,
  ScheduledBatch,
  ScheduledDelivery,
  StartOutcome,
  StartRequest,
  Verdict,
} from './storage/delivery-store.ts';
export { LEASE_SLACK_MS, REWAKE_AFTER_MS } from './storage/lateness.ts';
export type {
  Limiter,
  LimiterFactory,
  LimiterOptions,
  LimiterState,
} from './storage/limiter.ts';
export { type MemoryStorageOptions, memoryStorage } from './storage/memory/memory-storage.ts';
export type {
  ConfirmEnrolment,
  EnrolledFactor,
  MfaStore,
  PendingEnrolment,
} from './storage/mfa-store.ts';
export type { NewMessage } from './storage/new-message.ts';
export type {
  Outbox,
  PublishWithinOutcome,
  SqlTransaction,
  TakenMessages,
} from './storage/outbox.ts';
export type { OverdueRequest } from './storage/overdue-request.ts';
export type { Page } from './storage/page.ts';
export type {
  CreatePersonalAccessTokenOutcome,
  NewPersonalAccessToken,
  PersonalAccessTokenGrant,
  PersonalAccessTokenRecord,
  PersonalAccessTokenRef,
  PersonalAccessTokenStore,
} from './storage/personal-access-token-store.ts';
export { CallDeadline } from './storage/remote/call-deadline.ts';
export {
  type Landing,
  LateLandingGuard,
  type LateLandingGuardOptions,
  type TimedAnswer,
} from './storage/remote/late-landing-guard.ts';
export { sessionGrantOf } from './storage/remote/session-grant.ts';
export {
  LONGEST_UNDER_WAY_MS,
  type LoginAge,
  type LoginVerdict,
  type StoredLogin,
  storeLogin,
} from './storage/remote/store-login.ts';
export type { RescheduleRequest } from './storage/reschedule-request.ts';
export type { SealedItem, SealedPage, SealedStore } from './storage/sealed-store.ts';
export type {
  CreateSessionOutcome,
  NewLogin,
  NewSession,
  RotateOutcome,
  RotateRequest,
  SessionGrant,
  SessionRecord,
  SessionRef,
  SessionStore,
} from './storage/session-store.ts';
export type { Storage } from './storage/storage.ts';
export {
  type CreateWebhookOutcome,
  DISABLED_REASONS,
  type DisabledReason,
  type EnableWebhookOutcome,
  MAX_RATE_LIMIT,
  type NewWebhook,
  RATE_LIMIT_PERIOD_MS,
  RATE_LIMIT_PERIODS,
  type RateLimitPeriod,
  type SealedSecret,
  SIGNING_SECRETS_KEPT,
  type WebhookChange,
  type WebhookRecord,
  type WebhookRef,
  type WebhookStore,
} from './storage/webhook-store.ts';
export type { ThrottleOptions } from './throttle/throttle-options.ts';
export type { AccessTokenInfo } from './tokens/access-token-info.ts';
export type { User, UserDirectory, UserMfa } from './users/users.ts';
export {
  type EventData,
  PING_EVENT,
  WEBHOOK_EVENTS,
  type WebhookEventData,
  type WebhookEventName,
} from './webhook-events.ts';
export type {
  DeliveryContext,
  DeliveryEngine,
  DeliveryQueue,
} from './webhooks/delivery-engine.ts';
export type { DeliveryPolicy } from './webhooks/delivery-policy.ts';
export type { EventMessage, Events, PublishedEvent, PublishOptions } from './webhooks/events.ts';
export { isPublicAddress } from './webhooks/public-address.ts';
export { type RescheduleDeps, reschedulePage } from './webhooks/reschedule-page.ts';
export type { SchemaIssue, SchemaResult, StandardSchema } from './webhooks/standard-schema.ts';
export type { WebhookOptions } from './webhooks/webhook-options.ts';

// The API for apps that mount Latchhook. Each public name belongs to one entry of the package: names that only
// adapters, storages and workers need are in `entries/`; names that apps need too (errors, the clock, users, events)
// are only here.

import './loading/sole-copy.ts';

export type { AccountId, AccountIds } from './account-id.ts';
export type { Auth } from './auth.ts';
export type {
  AccountOptions,
  AuthOptions,
  KeyOptions,
  LifetimeOptions,
  MfaOptions,
} from './auth-options.ts';
export type { AuthInfo } from './bearer/auth-info.ts';
export type { ClientInfo } from './client-info/client-info.ts';
export type { CookieOptions } from './cookies/cookie-options.ts';
export { createAuth } from './create-auth.ts';
export {
  AuthError,
  type AuthErrorCode,
  type AuthErrorDetails,
  ConfigError,
  type ConfigErrorCode,
  type FieldError,
} from './errors.ts';
export type { AccessTokenClaims, TokenLogin } from './grants/access-token-claims.ts';
export type { FinishedLogin } from './grants/finish-login.ts';
export type { LoginRejectionReason } from './grants/host-grant.ts';
export type { IssuedTokens } from './grants/issue-tokens.ts';
export type { ChallengedLogin, PendingChallenge } from './grants/start-challenge.ts';
export {
  type FetchClientInfo,
  type FetchHandler,
  type FetchHandlerOptions,
  toFetchHandler,
} from './http/to-fetch-handler.ts';
export type { KeyControl, ReencryptionReport } from './keys/key-control.ts';
export type { Reencrypted } from './keys/re-encrypt.ts';
export type { PublicJwk, SigningAlgorithm, SigningKeyMaterial } from './keys/signing-key.ts';
export type { ScheduledSigningKey, SigningKeyInput } from './keys/signing-keys.ts';
export { isPromise, type MaybePromise } from './maybe-promise.ts';
export type { Factors } from './mfa/factor-control.ts';
export type { HashComparison } from './passwords/password-comparison.ts';
export type { HostPasswordVerifier, PasswordOptions } from './passwords/password-options.ts';
export type { PasswordNormalization } from './passwords/password-text.ts';
export type { HashOutcome, VerifyOutcome } from './passwords/password-verifier.ts';
export { type BcryptSchemeOptions, bcryptScheme } from './passwords/schemes/bcrypt-scheme.ts';
export type { PasswordScheme, SchemeAnswer } from './passwords/schemes/password-scheme.ts';
export { pbkdf2Scheme } from './passwords/schemes/pbkdf2-scheme.ts';
export { scryptScheme } from './passwords/schemes/scrypt-scheme.ts';
export { PERSONAL_ACCESS_TOKEN_PATTERN } from './personal-access-tokens/personal-access-token.ts';
export type { PersonalAccessTokens } from './personal-access-tokens/personal-access-token-control.ts';
export type { PersonalAccessTokenInfo } from './personal-access-tokens/personal-access-token-info.ts';
export type { PersonalAccessTokenOptions } from './personal-access-tokens/personal-access-token-options.ts';
export { type Clock, systemClock } from './ports/clock.ts';
export type {
  AccessTokenRejectionReason,
  AccessTokenSecurityEvent,
} from './ports/events/access-token-security-event.ts';
export type { Actor } from './ports/events/actor.ts';
export type {
  ChallengeFailureReason,
  EnrolmentFailureReason,
  FactorSecurityEvent,
} from './ports/events/factor-security-event.ts';
export type { FaultSecurityEvent } from './ports/events/fault-security-event.ts';
export type {
  LoginFailureReason,
  LoginSecurityEvent,
} from './ports/events/login-security-event.ts';
export type { PersonalAccessTokenSecurityEvent } from './ports/events/personal-access-token-security-event.ts';
export type {
  SessionRejectionReason,
  SessionSecurityEvent,
} from './ports/events/session-security-event.ts';
export type { WebhookActor, WebhookSecurityEvent } from './ports/events/webhook-security-event.ts';
export type {
  SecurityEvent,
  SecurityEventListener,
  SecurityEvents,
  SecurityEventType,
  TimedSecurityEvent,
} from './ports/security-events.ts';
export {
  NotReadyError,
  type ReadinessFinding,
  type ReadinessPart,
} from './readiness/not-ready-error.ts';
export type { Health, ReadyOptions } from './readiness/readiness.ts';
export type { Login, LoginOutcome, LoginRequest } from './routes/host-login.ts';
export type { Deprecation } from './routes/put-token.ts';
export type { ListPage } from './schema/list-page.ts';
export { SCOPES, type Scope, type ScopeType, type ScopeTypes } from './scopes/scope.ts';
export type { Sessions } from './sessions/session-control.ts';
export { type MemoryStorageOptions, memoryStorage } from './storage/memory/memory-storage.ts';
export type { SqlTransaction } from './storage/outbox.ts';
export type { ThrottleOptions } from './throttle/throttle-options.ts';
export type { AccessTokenInfo } from './tokens/access-token-info.ts';
export type { HostClaims, ReservedClaim, UnreservedClaims } from './tokens/host-claims.ts';
export type { User, UserMfa, UserStore } from './users/users.ts';
export { PING_EVENT, WEBHOOK_EVENTS, type WebhookEventName } from './webhook-events.ts';
export type { PageOptions, Webhooks } from './webhooks/control/webhook-control.ts';
export type {
  DeliveryWorker,
  DrainOutcome,
  StartDeliveryWorker,
} from './webhooks/deliveries/delivery-worker.ts';
export type {
  BuiltInEvents,
  EventData,
  EventName,
  EventType,
  EventTypes,
  PublishedEventName,
} from './webhooks/events/event-types.ts';
export type {
  SchemaIssue,
  SchemaResult,
  StandardSchema,
} from './webhooks/events/standard-schema.ts';
export type { UserSecurityEventType } from './webhooks/events/user-security-events.ts';
export type {
  EventMessage,
  Events,
  PublishedEvent,
  PublishOptions,
} from './webhooks/publishing/events.ts';
export type { RejectedWebhookFields, WebhookFields } from './webhooks/registry/webhook-fields.ts';
export type {
  ChangeWebhookOutcome,
  NewWebhookOutcome,
  WebhookInfo,
} from './webhooks/registry/webhook-outcomes.ts';
export type { WebhookOptions } from './webhooks/webhook-options.ts';

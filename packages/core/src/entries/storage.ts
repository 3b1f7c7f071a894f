// `@latchhook/core/storage`: for authors of storage adapters. The contracts with their records, requests and outcomes;
// decisions to reuse; parts that read options and call a server. Each name is in one entry only: names that apps use
// too, such as `Clock` and `SqlTransaction`, are in `../index.ts`.

import '../loading/sole-copy.ts';

export { accountName, parseAccountName } from '../account-name.ts';
export { assertNames, type NamesOf } from '../assert-names.ts';
export { boundedInteger } from '../bounded-integer.ts';
export { StorageUnavailableError } from '../errors.ts';
export {
  ATTEMPTS_KEPT,
  type AttemptResult,
  type ListedAttempt,
} from '../storage/attempt-record.ts';
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
} from '../storage/challenge-store.ts';
export { type CompleteInGroupsOptions, completeInGroups } from '../storage/complete-in-groups.ts';
export type { ChallengeState } from '../storage/decisions/challenge-state.ts';
export { type AttemptChange, decideAttempt } from '../storage/decisions/decide-attempt.ts';
export { decideChallengeCreation } from '../storage/decisions/decide-challenge-creation.ts';
export { type CompletionChange, decideCompletion } from '../storage/decisions/decide-completion.ts';
export { decideRotation } from '../storage/decisions/decide-rotation.ts';
export { decideSessionCreation } from '../storage/decisions/decide-session-creation.ts';
export type { Decision } from '../storage/decisions/decision.ts';
export {
  adjustToCurrentUrl,
  type DeliveryProgress,
  disabledBy,
  EXPIRED,
  endAttempt,
  endStalledAttempt,
  type ProgressChange,
  type SentAttempt,
  startOver,
  UNTRIED,
  type WebhookFailure,
} from '../storage/decisions/end-of-attempt.ts';
export { type FactorLock, unlockFactor } from '../storage/decisions/factor-lock.ts';
export {
  isRetryNext,
  NEW_QUEUE,
  type QueueHeads,
  type QueueState,
  queueAfterAttempt,
  queueAfterChange,
  queueAfterEnabling,
  queueAfterResult,
  queueAfterSetBack,
  queueDueBy,
  queueNotDue,
  queueWithNextStart,
  queueWithStarts,
  type StartLimits,
  startsAllowed,
  waitingInQueue,
} from '../storage/decisions/queue-state.ts';
export { type ListableDelivery, listedDelivery } from '../storage/decisions/queued-delivery.ts';
export {
  isSessionAlive,
  liveSessions,
  type SessionState,
  sessionEndsAtMs,
  sessionGrantOf,
} from '../storage/decisions/session-state.ts';
export {
  addStarts,
  fillWindow,
  freeAtMs,
  freeStarts,
  type Rate,
  type StartWindow,
} from '../storage/decisions/start-window.ts';
export {
  changeWebhook,
  enableWebhook,
  reencryptWebhookSecret,
  rotateWebhookSecret,
  signingSecrets,
  webhookAsOf,
} from '../storage/decisions/webhook-changes.ts';
export {
  DEAD_REASONS,
  DELIVERY_STATES,
  type DeadReason,
  type DeliveryRef,
  type DeliveryState,
  type ListedDelivery,
} from '../storage/delivery-record.ts';
export type {
  AttemptEnd,
  AttemptOutcome,
  Claim,
  ClaimedAttempt,
  ClaimRequest,
  CompletedAttempt,
  CompleteLimits,
  DeliveryStore,
  PublishedMessage,
  QueueStats,
  RedeliverFailedRequest,
  RedeliverOutcome,
} from '../storage/delivery-store.ts';
export {
  LEASE_SLACK_MS,
  LONGEST_ATTEMPT_MS,
  LONGEST_RATE_MARGIN_MS,
} from '../storage/delivery-timing.ts';
export type { EncryptedItem, EncryptedPage, EncryptedStore } from '../storage/encrypted-store.ts';
export { BufferedRows } from '../storage/engine/buffered-rows.ts';
export { type CasEngineOptions, casEngine } from '../storage/engine/cas-engine.ts';
export type {
  FoundSqlRow,
  LockingConnection,
  LockingDatabase,
} from '../storage/engine/locking-database.ts';
export { type LockingEngineOptions, lockingEngine } from '../storage/engine/locking-engine.ts';
export { memoryEngine } from '../storage/engine/memory-engine.ts';
export {
  rowOf,
  type SqlIndexEntry,
  type SqlRange,
  type SqlRow,
  type SqlRowStatements,
  type SqlRows,
  sqlRange,
  sqlRowOf,
  sqlRows,
} from '../storage/engine/sql-rows.ts';
export type {
  FoundRow,
  RangeRequest,
  Row,
  Rows,
  StorageEngine,
} from '../storage/engine/storage-engine.ts';
export { type StorageOnOptions, storageOn } from '../storage/engine/storage-on.ts';
export type {
  PartitionChange,
  VersionedDatabase,
  VersionedPartition,
} from '../storage/engine/versioned-database.ts';
export type {
  Limiter,
  LimiterFactory,
  LimiterOptions,
  LimiterState,
} from '../storage/limiter.ts';
export { type LockRule, lockSecondsAfter } from '../storage/lock-rule.ts';
export type { CreateUnlessEnrolledOutcome, LoginTransition } from '../storage/login-transition.ts';
export { LONGEST_PENDING_MS } from '../storage/longest-pending.ts';
export { type AroundCall, mapMethods } from '../storage/map-methods.ts';
export type {
  ConfirmEnrolment,
  EnrolledFactor,
  MfaStore,
  NewEnrolment,
  PendingEnrolment,
} from '../storage/mfa-store.ts';
export type { NewMessage } from '../storage/new-message.ts';
export type { Outbox, PublishWithinOutcome } from '../storage/outbox.ts';
export type { Page } from '../storage/page.ts';
export type {
  CreatePersonalAccessTokenOutcome,
  NewPersonalAccessToken,
  PersonalAccessTokenGrant,
  PersonalAccessTokenRecord,
  PersonalAccessTokenRef,
  PersonalAccessTokenStore,
} from '../storage/personal-access-token-store.ts';
export { CallDeadline } from '../storage/remote/call-deadline.ts';
export {
  type CommandOutcome,
  ExpiredCommandGuard,
  type ExpiredCommandGuardOptions,
  type TimedAnswer,
} from '../storage/remote/expired-command-guard.ts';
export { PublishLimiter, type PublishLimiterOptions } from '../storage/remote/publish-limiter.ts';
export {
  type LoginAge,
  type LoginStoreOutcome,
  type StoredLogin,
  storeLogin,
} from '../storage/remote/store-login.ts';
export {
  type CreateSessionOutcome,
  type NewLogin,
  type NewSession,
  ROTATE_OUTCOMES,
  type RotateOutcome,
  type RotateRequest,
  type SessionGrant,
  type SessionRecord,
  type SessionRef,
  type SessionStore,
} from '../storage/session-store.ts';
export type {
  StoreFinding,
  StoreFindingCode,
  StoreInstance,
  StoreStartup,
} from '../storage/startup.ts';
export type { Storage, StorageName } from '../storage/storage.ts';
export { type MethodsOf, STORE_METHODS, type StoreMethods } from '../storage/store-methods.ts';
export { ofOneStore, originOf, type StoreOrigin, withOriginOf } from '../storage/store-origin.ts';
export {
  type CreateWebhookOutcome,
  DISABLED_REASONS,
  type DisabledReason,
  type EnableWebhookOutcome,
  type EncryptedSecret,
  MAX_RATE_LIMIT,
  type NewWebhook,
  RATE_LIMIT_PERIOD_MS,
  RATE_LIMIT_PERIODS,
  type RateLimitPeriod,
  SIGNING_SECRETS_KEPT,
  type WebhookChange,
  type WebhookRecord,
  type WebhookRef,
  type WebhookSettings,
  type WebhookStore,
} from '../storage/webhook-store.ts';
export { uncheckedFields } from '../unchecked-fields.ts';

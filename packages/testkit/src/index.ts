export { assertHoldsNoSecrets } from './assert-holds-no-secrets.ts';
export { certifyAtRest, type SecretFlow } from './certify-at-rest.ts';
export { certifyEngine } from './certify-engine.ts';
export { certifyLimiters } from './certify-limiters.ts';
export { certifyMfa } from './certify-mfa.ts';
export { certifyOutbox, type HostTransaction } from './certify-outbox.ts';
export { certifyPersonalAccessTokens } from './certify-personal-access-tokens.ts';
export { certifyStartup } from './certify-startup.ts';
export { certifyStorage } from './certify-storage.ts';
export { certifyUsers } from './certify-users.ts';
export { certifyWebhooks } from './certify-webhooks.ts';
export type { EngineHarness } from './engine/engine-harness.ts';
export { expectMutantsCaught } from './expect-mutants-caught.ts';
export type { MfaHarness } from './fixtures/mfa-fixture.ts';
export type { PersonalAccessTokenHarness } from './fixtures/personal-access-token-fixture.ts';
export type { WebhookHarness } from './fixtures/webhook-fixture.ts';
export type { EngineMutant, Mutation } from './mutants/engine-mutant.ts';
export { ENGINE_MUTANTS } from './mutants/engine-mutants.ts';
export type { ReceivedRequest } from './receiver/received-requests.ts';
export type {
  AnswerBody,
  AnswerPace,
  HttpAnswer,
  RawAnswer,
  ReceiverAnswer,
  ReceiverScript,
} from './receiver/receiver-answer.ts';
export {
  type FakeReceiver,
  type FakeReceiverOptions,
  startFakeReceiver,
} from './receiver/start-fake-receiver.ts';
export type { Ability, OpenStorage, StorageHarness } from './storage-harness.ts';
export type { RegisterTest, TestRunner } from './test-runner.ts';
export { type TurnableClock, turnableClock } from './time/turnable-clock.ts';
export { type VirtualTime, virtualTime } from './time/virtual-time.ts';
export { type WatchedAttempts, watchAttempts } from './time/watch-attempts.ts';
export type { NewUser, OpenUsers, UserHarness, UserWrite } from './user-harness.ts';

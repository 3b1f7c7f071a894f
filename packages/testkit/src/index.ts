export { assertHoldsNoSecrets } from './assert-holds-no-secrets.ts';
export { certifyAtRest, type SecretFlow } from './certify-at-rest.ts';
export { certifyLimiters } from './certify-limiters.ts';
export { certifyStorage } from './certify-storage.ts';
export type { OpenStorage, StorageHarness } from './storage-harness.ts';
export type { TestRunner } from './test-runner.ts';
export { type TurnableClock, turnableClock } from './turnable-clock.ts';

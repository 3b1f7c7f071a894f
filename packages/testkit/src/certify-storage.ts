import { assertHarness } from './assert-harness.ts';
import { type LoginFixture, tryLogins } from './fixtures/login-fixture.ts';
import type { StorageHarness } from './storage-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import { challengeAttempts } from './suites/logins/challenge-attempts.ts';
import { challengeCompletion } from './suites/logins/challenge-completion.ts';
import { challengeRaces } from './suites/logins/challenge-races.ts';
import { factorLock } from './suites/logins/factor-lock.ts';
import { lateLogins } from './suites/logins/late-logins.ts';
import { loginDisturbance } from './suites/logins/login-disturbance.ts';
import { loginModel } from './suites/logins/login-model.ts';
import { loginRepeats } from './suites/logins/login-repeats.ts';
import { sessionCap } from './suites/logins/session-cap.ts';
import { sessionCreation } from './suites/logins/session-creation.ts';
import { sessionExpiry } from './suites/logins/session-expiry.ts';
import { sessionGrace } from './suites/logins/session-grace.ts';
import { sessionList } from './suites/logins/session-list.ts';
import { sessionRaces } from './suites/logins/session-races.ts';
import { sessionReuse } from './suites/logins/session-reuse.ts';
import { sessionRevocation } from './suites/logins/session-revocation.ts';
import { sessionRotation } from './suites/logins/session-rotation.ts';
import type { TestRunner } from './test-runner.ts';
import { registerTextAccountSuites } from './text-account-suites.ts';

/** The contracts of sessions and challenges. */
const STORAGE_SUITES: readonly Suite<LoginFixture>[] = [
  sessionCreation,
  sessionRotation,
  sessionGrace,
  sessionReuse,
  sessionExpiry,
  sessionRevocation,
  sessionList,
  sessionCap,
  sessionRaces,
  challengeAttempts,
  challengeCompletion,
  factorLock,
  challengeRaces,
  loginRepeats,
  lateLogins,
  loginDisturbance,
  loginModel,
];

/** The suites in which an account id is stored with a session or a challenge, and returned. */
const TEXT_ACCOUNT_SUITES: readonly Suite<LoginFixture>[] = [
  sessionRotation,
  sessionList,
  challengeCompletion,
  loginRepeats,
];

/**
 * Registers the tests that every storage must pass: one `describe` for each capability, one `it` for each test case.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import { memoryStorage } from '@latchhook/core';
 * import { certifyStorage } from '@latchhook/testkit';
 *
 * certifyStorage({ describe, it }, {
 *   open: async ({ clock }) => {
 *     const storage = memoryStorage({ clock });
 *     return { connect: async () => storage, close: async () => {} };
 *   },
 * });
 * ```
 */
export function certifyStorage(runner: TestRunner, harness: StorageHarness): void {
  assertHarness('certifyStorage', runner, harness);
  registerSuites(runner, STORAGE_SUITES, harness, tryLogins);
  registerTextAccountSuites(runner, TEXT_ACCOUNT_SUITES, harness, tryLogins);
}

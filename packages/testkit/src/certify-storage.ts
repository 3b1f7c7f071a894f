import { type LoginTrial, tryLogins } from './login-trial.ts';
import type { StorageHarness } from './storage-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import { agreement } from './suites/agreement.ts';
import { challengeAttempts } from './suites/challenge-attempts.ts';
import { challengeCompletion } from './suites/challenge-completion.ts';
import { challengeRaces } from './suites/challenge-races.ts';
import { disturbance } from './suites/disturbance.ts';
import { factorLock } from './suites/factor-lock.ts';
import { resends } from './suites/resends.ts';
import { sessionCap } from './suites/session-cap.ts';
import { sessionCreation } from './suites/session-creation.ts';
import { sessionExpiry } from './suites/session-expiry.ts';
import { sessionGrace } from './suites/session-grace.ts';
import { sessionList } from './suites/session-list.ts';
import { sessionRaces } from './suites/session-races.ts';
import { sessionReuse } from './suites/session-reuse.ts';
import { sessionRevocation } from './suites/session-revocation.ts';
import { sessionRotation } from './suites/session-rotation.ts';
import type { TestRunner } from './test-runner.ts';

/** Everything that the contracts of sessions and challenges promise. */
const STORAGE_SUITES: readonly Suite<LoginTrial>[] = [
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
  resends,
  disturbance,
  agreement,
];

/**
 * Registers the tests that a storage must pass: one `describe` for each capability, one `it` for each claim.
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
  registerSuites(runner, STORAGE_SUITES, (prove) => tryLogins(harness, prove));
}

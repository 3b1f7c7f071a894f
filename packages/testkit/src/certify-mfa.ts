import { assertHarness } from './assert-harness.ts';
import { type MfaFixture, type MfaHarness, tryMfa } from './fixtures/mfa-fixture.ts';
import { registerSuites, type Suite } from './suite.ts';
import { mfaAtRest } from './suites/mfa/mfa-at-rest.ts';
import { mfaDisturbance } from './suites/mfa/mfa-disturbance.ts';
import { mfaEnrolment } from './suites/mfa/mfa-enrolment.ts';
import { mfaRaces } from './suites/mfa/mfa-races.ts';
import { mfaReencryption } from './suites/mfa/mfa-re-encryption.ts';
import { mfaRemoval } from './suites/mfa/mfa-removal.ts';
import { mfaRepeats } from './suites/mfa/mfa-repeats.ts';
import { recoveryCodes } from './suites/mfa/recovery-codes.ts';
import type { TestRunner } from './test-runner.ts';

/** The contract of second factors. */
const MFA_SUITES: readonly Suite<MfaFixture>[] = [
  mfaEnrolment,
  recoveryCodes,
  mfaRemoval,
  mfaReencryption,
  mfaAtRest,
  mfaRaces,
  mfaRepeats,
  mfaDisturbance,
];

/**
 * Registers the tests for a storage that has `mfa`. The tests of secrets at rest need a harness with `dump`.
 */
export function certifyMfa(runner: TestRunner, harness: MfaHarness): void {
  assertHarness('certifyMfa', runner, harness);
  registerSuites(runner, MFA_SUITES, harness, tryMfa);
}

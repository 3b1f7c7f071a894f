import { assertHarness } from './assert-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import { mfaAtRest } from './suites/mfa/mfa-at-rest.ts';
import { mfaDisturbance } from './suites/mfa/mfa-disturbance.ts';
import { mfaEnrolment } from './suites/mfa/mfa-enrolment.ts';
import { mfaRaces } from './suites/mfa/mfa-races.ts';
import { mfaRemoval } from './suites/mfa/mfa-removal.ts';
import { mfaResealing } from './suites/mfa/mfa-resealing.ts';
import { mfaResends } from './suites/mfa/mfa-resends.ts';
import { recoveryCodes } from './suites/mfa/recovery-codes.ts';
import type { TestRunner } from './test-runner.ts';
import { type MfaHarness, type MfaTrial, tryMfa } from './trials/mfa-trial.ts';

/** Everything that the contract of second factors promises. */
const MFA_SUITES: readonly Suite<MfaTrial>[] = [
  mfaEnrolment,
  recoveryCodes,
  mfaRemoval,
  mfaResealing,
  mfaAtRest,
  mfaRaces,
  mfaResends,
  mfaDisturbance,
];

/**
 * Registers the tests that a storage must pass if it keeps second factors, whatever else it keeps. To check what is
 * left at rest, the harness needs `dump`.
 */
export function certifyMfa(runner: TestRunner, harness: MfaHarness): void {
  assertHarness('certifyMfa', runner, harness);
  registerSuites(runner, MFA_SUITES, harness, tryMfa);
}

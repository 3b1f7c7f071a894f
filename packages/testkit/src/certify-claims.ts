import { registerSuites, type Suite } from './suite.ts';
import { claimLeases } from './suites/claims/claim-leases.ts';
import { claimOrder } from './suites/claims/claim-order.ts';
import { claimPublishing } from './suites/claims/claim-publishing.ts';
import { claimRate } from './suites/claims/claim-rate.ts';
import { claimReading } from './suites/claims/claim-reading.ts';
import { claimWebhooks } from './suites/claims/claim-webhooks.ts';
import type { TestRunner } from './test-runner.ts';
import { type ClaimHarness, type ClaimTrial, tryClaims } from './trials/claim-trial.ts';

const CLAIM_SUITES: readonly Suite<ClaimTrial>[] = [
  claimPublishing,
  claimOrder,
  claimRate,
  claimLeases,
  claimWebhooks,
  claimReading,
];

/** Registers the tests that a storage must pass if it keeps the queues of webhooks, whatever else it keeps. */
export function certifyClaims(runner: TestRunner, harness: ClaimHarness): void {
  registerSuites(runner, CLAIM_SUITES, (prove) => tryClaims(harness, prove));
}

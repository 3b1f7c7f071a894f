import { assertHarness } from './assert-harness.ts';
import {
  type PersonalAccessTokenHarness,
  type TokenFixture,
  tryPersonalAccessTokens,
} from './fixtures/personal-access-token-fixture.ts';
import { registerSuites, type Suite } from './suite.ts';
import { tokenCreation } from './suites/personal-access-tokens/token-creation.ts';
import { tokenDisturbance } from './suites/personal-access-tokens/token-disturbance.ts';
import { tokenExpiry } from './suites/personal-access-tokens/token-expiry.ts';
import { tokenList } from './suites/personal-access-tokens/token-list.ts';
import { tokenRaces } from './suites/personal-access-tokens/token-races.ts';
import { tokenRepeats } from './suites/personal-access-tokens/token-repeats.ts';
import { tokenRevocation } from './suites/personal-access-tokens/token-revocation.ts';
import { tokenUse } from './suites/personal-access-tokens/token-use.ts';
import type { TestRunner } from './test-runner.ts';
import { registerTextAccountSuites } from './text-account-suites.ts';

/** The contract of personal access tokens. */
const PERSONAL_ACCESS_TOKEN_SUITES: readonly Suite<TokenFixture>[] = [
  tokenCreation,
  tokenUse,
  tokenExpiry,
  tokenRevocation,
  tokenList,
  tokenRaces,
  tokenRepeats,
  tokenDisturbance,
];

/** The suites in which an account id is stored with a token, and returned. */
const TEXT_ACCOUNT_SUITES: readonly Suite<TokenFixture>[] = [
  tokenUse,
  tokenRevocation,
  tokenList,
  tokenRepeats,
];

/** Registers the tests for a storage that has `personalAccessTokens`. */
export function certifyPersonalAccessTokens(
  runner: TestRunner,
  harness: PersonalAccessTokenHarness,
): void {
  assertHarness('certifyPersonalAccessTokens', runner, harness);
  registerSuites(runner, PERSONAL_ACCESS_TOKEN_SUITES, harness, tryPersonalAccessTokens);
  registerTextAccountSuites(runner, TEXT_ACCOUNT_SUITES, harness, tryPersonalAccessTokens);
}

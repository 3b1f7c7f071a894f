import {
  type PersonalAccessTokenFixture,
  type PersonalAccessTokenHarness,
  tryPersonalAccessTokens,
} from '../fixtures/personal-access-token-fixture.ts';
import type { Suite } from '../suite.ts';
import { type Broken, expectFaultsNoticed } from './expect-faults-noticed.ts';
import { tokensThat } from './faulty-personal-access-tokens.ts';

const soundHarness = tokensThat(() => ({}));

/** Shows that each claim about tokens holds for the reference, and fails for each of the broken stores. */
export function expectTokenFaultsNoticed(
  suite: Suite<PersonalAccessTokenFixture>,
  brokenStores: Broken<PersonalAccessTokenHarness>,
): void {
  expectFaultsNoticed(suite, brokenStores, soundHarness, tryPersonalAccessTokens);
}

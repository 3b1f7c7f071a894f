import { type MfaFixture, type MfaHarness, tryMfa } from '../fixtures/mfa-fixture.ts';
import type { Suite } from '../suite.ts';
import { type Broken, expectFaultsNoticed } from './expect-faults-noticed.ts';
import { mfaThat } from './faulty-mfa.ts';

const soundHarness = mfaThat(() => ({}));

/** Shows that each claim about second factors holds for the reference, and fails for each broken store. */
export function expectMfaFaultsNoticed(
  suite: Suite<MfaFixture>,
  brokenStores: Broken<MfaHarness>,
): void {
  expectFaultsNoticed(suite, brokenStores, soundHarness, tryMfa);
}

import type { Storage } from '@latchhook/core/storage';
import { tryOnNew } from '../fixtures/fixture.ts';
import { tryLogins } from '../fixtures/login-fixture.ts';
import { tryMfa } from '../fixtures/mfa-fixture.ts';
import { tryPersonalAccessTokens } from '../fixtures/personal-access-token-fixture.ts';
import { tryStartup } from '../fixtures/startup-fixture.ts';
import { tryUsers, type UserFixture } from '../fixtures/user-fixture.ts';
import { tryWebhooks } from '../fixtures/webhook-fixture.ts';
import type { StorageHarness } from '../storage-harness.ts';
import type { Proof, Suite } from '../suite.ts';
import type { UserHarness } from '../user-harness.ts';
import { expectFaultsNoticed, type FaultyHarnesses } from './expect-faults-noticed.ts';
import { referenceStartup } from './faulty-startup.ts';
import { referenceUsers } from './faulty-users.ts';
import { reference } from './reference.ts';

/** Expects each test case of a suite to pass for the reference, and to fail for each of its faulty harnesses. */
type ExpectSuiteFaults<Fixture, Harness> = (
  suite: Suite<Fixture>,
  faulty: FaultyHarnesses<Harness>,
) => void;

export const expectLoginFaultsNoticed = expectStorageFaults(tryLogins);
export const expectLimiterFaultsNoticed = expectStorageFaults(tryOnNew<Storage>);
export const expectMfaFaultsNoticed = expectStorageFaults(tryMfa);
export const expectTokenFaultsNoticed = expectStorageFaults(tryPersonalAccessTokens);
export const expectWebhookFaultsNoticed = expectStorageFaults(tryWebhooks);
export const expectStartupFaultsNoticed = expectStorageFaults(tryStartup, referenceStartup);
export const expectUserFaultsNoticed: ExpectSuiteFaults<UserFixture, UserHarness> = (
  suite,
  faulty,
) => expectFaultsNoticed(suite, faulty, referenceUsers, tryUsers);

/** The same faults for all test cases of a suite. */
export function inEveryCase<Harness>(
  { cases }: Suite<never>,
  faults: Readonly<Record<string, Harness>>,
): FaultyHarnesses<Harness> {
  return Object.fromEntries(Object.keys(cases).map((title) => [title, faults]));
}

function expectStorageFaults<Fixture>(
  tryOn: (harness: StorageHarness, prove: Proof<Fixture>) => Promise<void>,
  correct = reference,
): ExpectSuiteFaults<Fixture, StorageHarness> {
  return (suite, faulty) => expectFaultsNoticed(suite, faulty, correct, tryOn);
}

import type { Storage } from '@latchhook/core/storage';
import { tryOnNew } from '../fixtures/fixture.ts';
import { tryLogins } from '../fixtures/login-fixture.ts';
import { tryMfa } from '../fixtures/mfa-fixture.ts';
import { tryPersonalAccessTokens } from '../fixtures/personal-access-token-fixture.ts';
import { tryUsers } from '../fixtures/user-fixture.ts';
import { tryWebhooks } from '../fixtures/webhook-fixture.ts';
import type { Proof, Suite } from '../suite.ts';
import { expectFaultsNoticed, type FaultyHarnesses } from './expect-faults-noticed.ts';
import { faultyMfa } from './faulty-mfa.ts';
import { faultyTokens } from './faulty-personal-access-tokens.ts';
import { faultyStorage } from './faulty-storage.ts';
import { faultyUsers } from './faulty-users.ts';
import { faultyStores } from './faulty-webhooks.ts';

/** Expects each test case of a suite to pass for the reference, and to fail for each of its faulty harnesses. */
type ExpectSuiteFaults<Fixture, Harness> = (
  suite: Suite<Fixture>,
  faulty: FaultyHarnesses<Harness>,
) => void;

export const expectLoginFaultsNoticed = expectSuiteFaults(
  tryLogins,
  faultyStorage((storage) => storage),
);
export const expectLimiterFaultsNoticed = expectSuiteFaults(
  tryOnNew<Storage>,
  faultyStorage((storage) => storage),
);
export const expectMfaFaultsNoticed = expectSuiteFaults(
  tryMfa,
  faultyMfa(() => ({})),
);
export const expectTokenFaultsNoticed = expectSuiteFaults(
  tryPersonalAccessTokens,
  faultyTokens(() => ({})),
);
export const expectUserFaultsNoticed = expectSuiteFaults(tryUsers<number>, faultyUsers());
export const expectWebhookFaultsNoticed = expectSuiteFaults(
  tryWebhooks,
  faultyStores((stores) => stores),
);

function expectSuiteFaults<Fixture, Harness>(
  tryOn: (harness: Harness, prove: Proof<Fixture>) => Promise<void>,
  reference: NoInfer<Harness>,
): ExpectSuiteFaults<Fixture, Harness> {
  return (suite, faulty) => expectFaultsNoticed(suite, faulty, reference, tryOn);
}

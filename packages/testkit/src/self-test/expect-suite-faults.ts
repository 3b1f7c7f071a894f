import { tryLogins } from '../fixtures/login-fixture.ts';
import { tryMfa } from '../fixtures/mfa-fixture.ts';
import { tryPersonalAccessTokens } from '../fixtures/personal-access-token-fixture.ts';
import { tryUsers } from '../fixtures/user-fixture.ts';
import { tryWebhooks } from '../fixtures/webhook-fixture.ts';
import type { Proof, Suite } from '../suite.ts';
import { expectFaultsNoticed, type FaultyHarnesses } from './expect-faults-noticed.ts';
import { mfaThat } from './faulty-mfa.ts';
import { tokensThat } from './faulty-personal-access-tokens.ts';
import { storageThat } from './faulty-storage.ts';
import { usersThat } from './faulty-users.ts';
import { storesThat } from './faulty-webhooks.ts';

/** Expects each test case of a suite to pass for the reference, and to fail for each of its faulty harnesses. */
type ExpectSuiteFaults<Fixture, Harness> = (
  suite: Suite<Fixture>,
  faulty: FaultyHarnesses<Harness>,
) => void;

export const expectLoginFaultsNoticed = expectSuiteFaults(
  tryLogins,
  storageThat((storage) => storage),
);
export const expectMfaFaultsNoticed = expectSuiteFaults(
  tryMfa,
  mfaThat(() => ({})),
);
export const expectTokenFaultsNoticed = expectSuiteFaults(
  tryPersonalAccessTokens,
  tokensThat(() => ({})),
);
export const expectUserFaultsNoticed = expectSuiteFaults(tryUsers<number>, usersThat());
export const expectWebhookFaultsNoticed = expectSuiteFaults(
  tryWebhooks,
  storesThat((stores) => stores),
);

function expectSuiteFaults<Fixture, Harness>(
  tryOn: (harness: Harness, prove: Proof<Fixture>) => Promise<void>,
  reference: NoInfer<Harness>,
): ExpectSuiteFaults<Fixture, Harness> {
  return (suite, faulty) => expectFaultsNoticed(suite, faulty, reference, tryOn);
}

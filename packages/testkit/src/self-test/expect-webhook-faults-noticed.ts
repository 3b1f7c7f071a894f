import {
  tryWebhooks,
  type WebhookFixture,
  type WebhookHarness,
} from '../fixtures/webhook-fixture.ts';
import type { Suite } from '../suite.ts';
import { type Broken, expectFaultsNoticed } from './expect-faults-noticed.ts';
import { storesThat } from './faulty-webhooks.ts';

const soundWebhooks = storesThat((sound) => sound);

/** Shows that each claim about webhooks holds for the reference, and fails for each of the broken stores. */
export function expectWebhookFaultsNoticed(
  suite: Suite<WebhookFixture>,
  brokenStores: Broken<WebhookHarness>,
): void {
  expectFaultsNoticed(suite, brokenStores, soundWebhooks, tryWebhooks);
}

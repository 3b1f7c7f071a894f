import type { Suite } from '../suite.ts';
import { tryWebhooks, type WebhookHarness, type WebhookTrial } from '../webhook-trial.ts';
import { type Broken, noticeBroken } from './notice-broken.ts';
import { storesThat } from './webhooks-that.ts';

const soundWebhooks = storesThat((sound) => sound);

/** Shows that each claim about webhooks holds for the reference, and fails for each of the broken stores. */
export function noticeBrokenWebhooks(
  suite: Suite<WebhookTrial>,
  brokenStores: Broken<WebhookHarness>,
): void {
  noticeBroken(suite, brokenStores, soundWebhooks, tryWebhooks);
}

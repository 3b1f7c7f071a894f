import type { DeliveryRef, NewMessage, WebhookRef } from '@latchhook/core/storage';
import type { WebhookStores } from '../fixtures/webhook-fixture.ts';
import { ACCOUNT_ID, deliveryTo, newMessage, newWebhook } from '../samples/webhook-samples.ts';
import { seededRandom } from './seeded-random.ts';

/** What random steps are about: mostly what exists; else what may be gone, or never existed. */
export class RandomTargets {
  /** From 0 to 1, exclusive. */
  readonly random: () => number;
  /** All that were ever registered, and one that never was. */
  readonly webhooks: WebhookRef[] = [newWebhook('never')];
  /** All that were ever published, and one that never was. */
  readonly messages: NewMessage[] = [newMessage('never')];
  readonly #known: WebhookStores;

  /** @param known - Only read. */
  constructor(seed: number, known: WebhookStores) {
    this.random = seededRandom(seed);
    this.#known = known;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  async webhook(): Promise<WebhookRef> {
    const page = { limit: 100, after: null };
    const listed = await this.#known.webhooks.list(ACCOUNT_ID, page);
    return this.random() < 0.1 || listed.length === 0
      ? this.pick(this.webhooks)
      : this.pick(listed);
  }

  async delivery(): Promise<DeliveryRef> {
    const ref = await this.webhook();
    const page = { limit: 15, after: null };
    const listed = (await this.#known.deliveries.list(ref, page)) ?? [];
    return this.random() < 0.1 || listed.length === 0
      ? deliveryTo(ref, this.pick(this.messages).messageId)
      : this.pick(listed);
  }
}

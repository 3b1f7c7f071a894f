import type { DeliveryRef, NewMessage, WebhookRef } from '@latchhook/core/storage';
import type { WebhookStores } from '../fixtures/webhook-fixture.ts';
import { ACCOUNT_ID, deliveryTo, newMessage, newWebhook } from '../samples/webhook-samples.ts';
import { RandomChoices } from './random-choices.ts';

/** Webhooks and deliveries for random steps: most exist, some were removed or never existed. */
export class RandomTargets extends RandomChoices {
  /** All webhooks that were ever registered, and one that never was. */
  readonly webhooks: WebhookRef[] = [newWebhook('never')];
  /** All messages that were ever published, and one that never was. */
  readonly messages: NewMessage[] = [newMessage('never')];
  readonly #reference: WebhookStores;

  /** @param reference - Only read. */
  constructor(seed: number, reference: WebhookStores) {
    super(seed);
    this.#reference = reference;
  }

  async pickWebhook(): Promise<WebhookRef> {
    const page = { limit: 100, after: null };
    const listed = await this.#reference.webhooks.list(ACCOUNT_ID, page);
    return this.random() < 0.1 || listed.length === 0
      ? this.pick(this.webhooks)
      : this.pick(listed);
  }

  async pickDelivery(): Promise<DeliveryRef> {
    const ref = await this.pickWebhook();
    const page = { limit: 15, after: null };
    const listed = (await this.#reference.deliveries.list(ref, page)) ?? [];
    return this.random() < 0.1 || listed.length === 0
      ? deliveryTo(ref, this.pick(this.messages).messageId)
      : this.pick(listed);
  }
}

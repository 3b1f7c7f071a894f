import type { AccountId } from '../../account-id.ts';
import { accountName } from '../../account-name.ts';
import type { DeliveryRef } from '../delivery-record.ts';
import type { WebhookRef } from '../webhook-store.ts';
import type { MemoryAccount, MemoryDelivery, MemoryWebhook } from './memory-records.ts';

/** The accounts that have webhooks, messages or idempotency keys. */
export class MemoryAccounts {
  readonly #accounts = new Map<string, MemoryAccount>();

  get size(): number {
    return this.#accounts.size;
  }

  find(accountId: AccountId): MemoryAccount | undefined {
    return this.#accounts.get(accountName(accountId));
  }

  webhook({ accountId, webhookId }: WebhookRef): MemoryWebhook | undefined {
    return this.find(accountId)?.webhooks.get(webhookId);
  }

  /** An unexpired delivery. */
  delivery(
    { accountId, webhookId, deliveryId }: DeliveryRef,
    nowMs: number,
  ): MemoryDelivery | null {
    const message = this.find(accountId)?.messages.get(deliveryId);
    const delivery = message?.deliveries.get(webhookId);
    return delivery !== undefined && nowMs < delivery.expiresAtMs ? delivery : null;
  }

  /** The account, which is added if it is new. */
  open(accountId: AccountId): MemoryAccount {
    const name = accountName(accountId);
    const existing = this.#accounts.get(name);
    if (existing !== undefined) return existing;
    const account = {
      name,
      webhooks: new Map(),
      messages: new Map(),
      published: new Map(),
      inFlight: 0,
      isCapped: false,
    };
    this.#accounts.set(name, account);
    return account;
  }

  /** Deletes an account that has nothing any more. */
  closeIfEmpty({ name, webhooks, messages, published }: MemoryAccount): void {
    if (webhooks.size + messages.size + published.size === 0) this.#accounts.delete(name);
  }
}

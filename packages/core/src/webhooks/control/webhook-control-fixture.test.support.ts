import { vi } from 'vitest';
import type { AccountId } from '../../account-id.ts';
import type { EventTypes } from '../events/event-types.ts';
import type { WebhookFields } from '../registry/webhook-fields.ts';
import type { Fixture } from '../registry/webhook-fixture.test.support.ts';
import type { Webhooks } from './webhook-control.ts';

export const added: WebhookFields = { event: 'Contact.Added', url: 'https://example.com' };

/** As JavaScript calls it. */
export function untyped(
  control: Webhooks<EventTypes, AccountId>,
): Readonly<Record<keyof Webhooks, (...args: unknown[]) => Promise<unknown>>> {
  return control as never;
}

/** Has the host register a webhook of account 1. */
export async function created({ control }: Fixture, fields: Partial<WebhookFields> = {}) {
  const made = await control.create(1, { ...added, ...fields });
  if (made.outcome !== 'created') throw new Error(`the webhook is ${made.outcome}`);
  return { ...made, ref: { accountId: 1, webhookId: made.webhook.webhookId } };
}

/** From here on, every call of the storage fails. */
export function takeAway({ store, deliveryStore }: Fixture): void {
  const rejectUnavailable = () => Promise.reject(new Error('unavailable'));
  for (const method of ['create', 'find', 'list', 'change', 'remove', 'rotateSecret'] as const) {
    vi.spyOn(store, method).mockImplementation(rejectUnavailable);
  }
  vi.spyOn(store, 'enable').mockImplementation(rejectUnavailable);
  vi.spyOn(deliveryStore, 'list').mockImplementation(rejectUnavailable);
  vi.spyOn(deliveryStore, 'redeliverFailed').mockImplementation(rejectUnavailable);
}

import { vi } from 'vitest';
import type { AccountId } from '../../account-id.ts';
import type { EventTypes } from '../events/event-types.ts';
import type { WebhookFields } from '../registry/webhook-fields.ts';
import { FIELDS, type Fixture } from '../registry/webhook-fixture.test.support.ts';
import type { Webhooks } from './webhook-control.ts';

/** The methods as JavaScript calls them, without types. */
export function untyped(
  control: Webhooks<EventTypes, AccountId>,
): Readonly<Record<keyof Webhooks, (...args: unknown[]) => Promise<unknown>>> {
  return control as never;
}

/** Registers a webhook of account 1, as the host does. */
export async function createByHost({ control }: Fixture, fields: Partial<WebhookFields> = {}) {
  const result = await control.create(1, { ...FIELDS, ...fields });
  if (result.outcome !== 'created') throw new Error(`the webhook is ${result.outcome}`);
  return { ...result, ref: { accountId: 1, webhookId: result.webhook.webhookId } };
}

/** Makes every later call of the storage fail. */
export function breakStorage({ store, deliveryStore }: Fixture): void {
  const rejectUnavailable = () => Promise.reject(new Error('unavailable'));
  for (const method of ['create', 'find', 'list', 'change', 'remove', 'rotateSecret'] as const) {
    vi.spyOn(store, method).mockImplementation(rejectUnavailable);
  }
  vi.spyOn(store, 'enable').mockImplementation(rejectUnavailable);
  vi.spyOn(deliveryStore, 'list').mockImplementation(rejectUnavailable);
  vi.spyOn(deliveryStore, 'redeliverFailed').mockImplementation(rejectUnavailable);
}

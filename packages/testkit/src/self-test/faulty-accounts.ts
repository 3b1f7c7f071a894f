import type { AccountId } from '@latchhook/core';
import { renameAccounts } from '../fixtures/text-accounts.ts';
import type { WebhookHarness } from '../fixtures/webhook-fixture.ts';
import { storesThat } from './faulty-webhooks.ts';

/** The reference, which reads the ids of accounts as a store might that builds keys of them. */
export function readingAccountsAs(read: (accountId: string) => AccountId): WebhookHarness {
  return storesThat(({ webhooks, deliveries }) => {
    const asked = new Map<unknown, unknown>();
    const noted = (accountId: unknown) => {
      const known = read(String(accountId));
      asked.set(known, accountId);
      return known;
    };
    const shown = (accountId: unknown) => asked.get(accountId) ?? accountId;
    const reading = <Store extends object>(store: Store): Store =>
      new Proxy(store, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return async (first: unknown, ...rest: readonly unknown[]) => {
            // Of a list, the first argument is the account itself.
            const given = typeof first === 'string' ? noted(first) : renameAccounts(first, noted);
            return renameAccounts(await Reflect.apply(method, target, [given, ...rest]), shown);
          };
        },
      });
    return { webhooks: reading(webhooks), deliveries: reading(deliveries) };
  });
}

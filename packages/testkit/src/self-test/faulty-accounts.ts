import type { AccountId } from '@latchhook/core';
import { renameAccounts } from '../fixtures/text-accounts.ts';
import type { StorageHarness } from '../storage-harness.ts';
import { faultyStorage } from './faulty-storage.ts';

/** The reference, but with account ids changed by `read`, like in a store that builds keys from them. */
export function faultyAccounts(read: (accountId: string) => AccountId): StorageHarness {
  return faultyStorage(({ webhooks, deliveries }) => {
    const originals = new Map<unknown, unknown>();
    const toStored = (accountId: unknown) => {
      const stored = read(String(accountId));
      originals.set(stored, accountId);
      return stored;
    };
    const toOriginal = (accountId: unknown) => originals.get(accountId) ?? accountId;
    const withStoredAccounts = <Store extends object>(store: Store): Store =>
      new Proxy(store, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return async (first: unknown, ...rest: readonly unknown[]) => {
            // The first argument of a list is the account id itself.
            const stored =
              typeof first === 'string' ? toStored(first) : renameAccounts(first, toStored);
            const result = await Reflect.apply(method, target, [stored, ...rest]);
            return renameAccounts(result, toOriginal);
          };
        },
      });
    return { webhooks: withStoredAccounts(webhooks), deliveries: withStoredAccounts(deliveries) };
  });
}

import type { AccountId } from '@latchhook/core';
import { STORE_METHODS } from '@latchhook/core/storage';
import { withAccountsNamed } from '../fixtures/text-accounts.ts';
import type { StorageHarness } from '../storage-harness.ts';
import { faultyStorage } from './faulty-storage.ts';

/** The reference, but with account ids changed by `read`, like in a store that builds keys from them. */
export function faultyAccounts(read: (accountId: string) => AccountId): StorageHarness {
  return faultyStorage((reference) => {
    const originals = new Map<unknown, unknown>();
    const toStored = (accountId: unknown) => {
      const stored = read(String(accountId));
      originals.set(stored, accountId);
      return stored;
    };
    const toOriginal = (accountId: unknown) => originals.get(accountId) ?? accountId;
    const stores = (['webhooks', 'deliveries'] as const).map((name) => {
      const names = { type: 'string', toStored, toOriginal } as const;
      const faulty = withAccountsNamed(reference[name], STORE_METHODS[name], names);
      return [name, { ...reference[name], ...faulty }];
    });
    return Object.fromEntries(stores);
  });
}

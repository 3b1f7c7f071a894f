import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import type { Storage } from '../storage/storage.ts';
import { STORE_METHODS } from '../storage/store-methods.ts';

/**
 * Returns an optional part of a storage, which the options need with all of its methods.
 *
 * @param mustKeep - what the part stores, for the message: `webhooks too`
 * @throws {ConfigError} `storage_invalid`
 */
export function requireStore<Store>(
  part: keyof Storage & keyof typeof STORE_METHODS,
  store: Store | undefined,
  { mustKeep }: { readonly mustKeep: string },
): Store {
  const missing = missingMethods(part, store, Object.keys(STORE_METHODS[part]));
  if (store !== undefined && missing.length === 0) return store;
  throw new ConfigError(
    'storage_invalid',
    `storage must keep ${mustKeep}, as postgresStorage(pool) and redisStorage(client) do: it lacks ${missing.join(', ')}`,
  );
}

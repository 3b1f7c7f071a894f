import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import type { Storage } from '../storage/storage.ts';
import { STORE_METHODS } from '../storage/store-methods.ts';

/**
 * Returns a part that a storage may leave out, but that is needed here: none of its methods may be missing then.
 *
 * @param part - what the missing methods are named by
 * @param kept - what the part keeps, in the words of the message: `webhooks too`
 * @throws {ConfigError} `storage_invalid`
 */
export function wholeStore<Store>(
  part: keyof Storage & keyof typeof STORE_METHODS,
  kept: string,
  store: Store | undefined,
): Store {
  const missing = missingMethods(part, store, Object.keys(STORE_METHODS[part]));
  if (store !== undefined && missing.length === 0) return store;
  throw new ConfigError(
    'storage_invalid',
    `storage must keep ${kept}, as postgresStorage(pool) and redisStorage(client) do: it lacks ${missing.join(', ')}`,
  );
}

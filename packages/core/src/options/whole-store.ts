import { ConfigError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { missingMethods } from './missing-methods.ts';

/** All methods of a contract: one that is missing here does not compile. */
export type MethodsOf<Store> = Readonly<Record<keyof Store, true>>;

/**
 * Returns a part that a storage may leave out, but that is needed here: none of its methods may be missing then.
 *
 * @param part - what the missing methods are named by
 * @param kept - what the part keeps, in the words of the message: `webhooks too`
 * @throws {ConfigError} `storage_invalid`
 */
export function wholeStore<Store>(
  part: keyof Storage,
  kept: string,
  store: Store | undefined,
  methods: Readonly<Record<string, true>>,
): Store {
  const missing = missingMethods(part, store, Object.keys(methods));
  if (store !== undefined && missing.length === 0) return store;
  throw new ConfigError(
    'storage_invalid',
    `storage must keep ${kept}, as postgresStorage(pool) and redisStorage(client) do: it lacks ${missing.join(', ')}`,
  );
}

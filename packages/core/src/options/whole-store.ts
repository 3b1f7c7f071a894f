import { ConfigError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { missingMethods } from './missing-methods.ts';

/** Typed so that a method of the contract that is not asked for here does not compile. */
export type MethodsOf<Store> = Readonly<Record<keyof Store, true>>;

/**
 * A part that a storage may leave out, where it is needed: none of its methods may be missing then.
 *
 * @param part by which the missing methods are named
 * @param kept what the part keeps, as the message has it: `webhooks too`
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

import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import type { Clock } from '../ports/clock.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { STORE_METHODS } from '../storage/store-methods.ts';
import { uncheckedFields } from '../unchecked-fields.ts';
import { warn } from '../warning.ts';
import { assertOneStore } from './assert-one-store.ts';
import type { Environment } from './environment.ts';

export interface ResolveStorageDeps {
  readonly environment: Environment;
  readonly clock: Clock;
  /** The uses of limiters, in the words of the warning. */
  readonly limiterUses: readonly string[];
}

/**
 * The storage, or this process's memory.
 *
 * @throws {ConfigError} `storage_invalid`
 */
export function resolveStorage(
  storage: Storage | undefined,
  { environment, clock, limiterUses }: ResolveStorageDeps,
): Storage {
  if (storage !== undefined) assertStorage(storage);
  const isProduction = environment === 'production';
  if (isProduction && storage === undefined) {
    warn(
      'LATCHHOOK_STORAGE',
      "storage is this process's memory: logins end with it and no other process knows them",
    );
  }
  const lacksLimiters = storage !== undefined && storage.limiters === undefined;
  if (isProduction && lacksLimiters && limiterUses.length > 0) {
    warn(
      'LATCHHOOK_LIMITERS',
      `storage has no limiters: every process counts ${limiterUses.join(', ')} alone, so each allows as many as all should`,
    );
  }
  return storage ?? memoryStorage({ clock });
}

function assertStorage(storage: Storage): void {
  const { sessions, challenges, limiters } = uncheckedFields<Storage>(storage);
  const missing = [
    ...missingMethods('sessions', sessions, Object.keys(STORE_METHODS.sessions)),
    ...missingMethods('challenges', challenges, Object.keys(STORE_METHODS.challenges)),
    ...(limiters === undefined ? [] : missingMethods('storage', storage, ['limiters'])),
  ];
  if (missing.length > 0) {
    throw new ConfigError(
      'storage_invalid',
      `storage must be a Storage, such as postgresStorage(pool) or redisStorage(client): it lacks ${missing.join(', ')}`,
    );
  }
  assertOneStore(storage);
}

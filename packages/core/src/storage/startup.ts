import type { StorageName } from './storage.ts';

/** A problem that makes a store unusable or unsafe. */
export interface StoreFinding {
  readonly code: StoreFindingCode;
  /** What is wrong and how to fix it. It contains no secret. */
  readonly message: string;
}

/** The code of a {@link StoreFinding}. Codes may be added in minor versions. */
export type StoreFindingCode =
  /** The store cannot be reached, or does not answer in time. */
  | 'storage_unavailable'
  /** Tables or functions are missing, or are those of an earlier version. */
  | 'storage_not_migrated'
  /** The role of the app lacks a privilege. */
  | 'storage_not_permitted'
  /** A setting of the server would lose or change stored data. */
  | 'storage_setting_unsafe'
  /** The server is too old. */
  | 'storage_version_unsupported';

/** A process that uses the store. */
export interface StoreInstance {
  /** Random; 1 to 64 letters, digits, `_` and `-`. */
  readonly instanceId: string;
  /** Its configuration, as text of up to 8,192 characters, without secrets. */
  readonly configuration: string;
  /** How long it is registered unless it joins again, ms. */
  readonly ttlMs: number;
}

/**
 * Checks of a store before it is used. Optional: a store without them is checked by reading a record that does not
 * exist.
 *
 * Expiry: an instance is removed `ttlMs` after its last `join`. Security: nothing here is data of a user.
 */
export interface StoreStartup {
  /**
   * Resolves if the store can be reached and would serve a login now; otherwise rejects, within the store's own
   * deadline. Some hosts call it every second: it is one round trip without visible changes.
   */
  ping(): Promise<void>;

  /**
   * All problems of the store; an empty list if these parts of the store can be used. Rejects only if the store cannot
   * be reached.
   *
   * @param parts - the parts of the storage that are used
   */
  findings(parts: readonly StorageName[]): Promise<readonly StoreFinding[]>;

  /**
   * Registers an instance that uses the store, and returns the configurations of all others.
   *
   * Atomicity: one transition. Concurrency: of two instances that join together, at least one gets the configuration of
   * the other. Idempotency: an instance that joins again is extended, with its new configuration.
   */
  join(instance: StoreInstance): Promise<readonly string[]>;

  /** Removes an instance. Idempotency: removing an unknown instance does nothing. */
  leave(instanceId: string): Promise<void>;
}

import type { StorageName } from './storage.ts';

/** What keeps a store from being used, or from being safe. */
export interface StoreFinding {
  readonly code: StoreFindingCode;
  /** What is wrong and what to do about it, in words that hold no secret. */
  readonly message: string;
}

/** Codes may be added in minor versions. */
export type StoreFindingCode =
  /** It cannot be reached, or does not answer in time. */
  | 'storage_unavailable'
  /** Tables, functions or the like are missing, or are those of an earlier version. */
  | 'storage_not_migrated'
  /** The role of the app may not do all that is needed. */
  | 'storage_not_permitted'
  /** A setting of the server would lose or change what is kept. */
  | 'storage_setting_unsafe'
  /** The server is too old. */
  | 'storage_version_unsupported';

/** A process that uses the store. */
export interface StoreInstance {
  /** Random; 1 to 64 letters, digits, `_` and `-`. */
  readonly instanceId: string;
  /** How it is configured, as text of up to 8,192 characters; holds no secret. */
  readonly configuration: string;
}

/** How long an instance counts that is not joined again, ms. */
export interface InstanceLifetime {
  readonly ttlMs: number;
}

/**
 * What a store can say of itself before it is used. Optional: a store without it is asked for something that nobody
 * has.
 *
 * Expiry: an instance is forgotten `ttlMs` after it joined last. Security: nothing here belongs to a user.
 */
export interface StoreStartup {
  /**
   * Resolves if the store can be reached and would serve a login now. Called every second by some hosts: one round
   * trip, which changes nothing that anybody else can see. Rejects otherwise, within the store's own deadline.
   */
  ping(): Promise<void>;

  /**
   * What is wrong with the store, all of it; nothing if these parts of it can be used as they are. Rejects only where
   * it cannot be reached.
   *
   * @param parts - those that are used, as a storage names them.
   */
  findings(parts: readonly StorageName[]): Promise<readonly StoreFinding[]>;

  /**
   * Counts an instance among those that use the store, and returns the configurations of all others.
   *
   * Atomicity: one transition. Concurrency: of two instances that join at once, at least one is answered the other.
   * Idempotency: an instance that joins again lives on, with what it says now.
   */
  join(instance: StoreInstance & InstanceLifetime): Promise<readonly string[]>;

  /** Forgets an instance. Idempotency: one that is not there stays so. */
  leave(instanceId: string): Promise<void>;
}

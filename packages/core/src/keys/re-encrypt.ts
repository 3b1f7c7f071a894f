import type { EncryptedStore } from '../storage/encrypted-store.ts';

/** The result of re-encrypting all secrets of one kind. */
export interface Reencrypted {
  /** The number of secrets that were under an older key, and are now under the newest key. */
  readonly reencrypted: number;
  /** The number of secrets that no key of the ring decrypts. They were unusable before, and are not changed. */
  readonly unreadable: number;
}

/** Encrypts secrets for owners of one kind. */
export interface ReencryptingCipher<Owner> {
  /** Whether the newest key has encrypted this text. */
  isCurrent(encrypted: string): boolean;
  encrypt(owner: Owner, secret: Uint8Array): string;
  decrypt(owner: Owner, encrypted: string): Uint8Array | null;
}

const PAGE_SIZE = 100;

/**
 * Re-encrypts the secrets that are not under the newest key, one after the other, in order not to load the store.
 *
 * Concurrency: may run in several processes in parallel, and may be interrupted and started again.
 */
export async function reencrypt<Owner>(
  store: EncryptedStore<Owner>,
  cipher: ReencryptingCipher<Owner>,
): Promise<Reencrypted> {
  let reencrypted = 0;
  let unreadable = 0;
  let cursor: string | null = null;
  do {
    const page = await store.listEncrypted({ limit: PAGE_SIZE, cursor });
    for (const { owner, encrypted } of page.items) {
      if (cipher.isCurrent(encrypted)) continue;
      const secret = cipher.decrypt(owner, encrypted);
      if (secret === null) {
        unreadable += 1;
        continue;
      }
      const change = { expected: encrypted, replacement: cipher.encrypt(owner, secret) };
      // `false`: the owner has replaced the secret concurrently, and the new secret is under the newest key.
      if (await store.replaceEncrypted(owner, change)) reencrypted += 1;
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { reencrypted, unreadable };
}

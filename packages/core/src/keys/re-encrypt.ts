import type { EncryptedStore } from '../storage/encrypted-store.ts';

/** The result of re-encrypting all secrets of one kind. */
export interface Reencrypted {
  /** How many were under an older key, and are now under the newest. */
  readonly reencrypted: number;
  /** How many no key of the ring decrypts, not even an older one: they were useless before, and stay as they were. */
  readonly unreadable: number;
}

/** Encrypts for owners of one kind, and knows which key encrypted what. */
export interface ReencryptingCipher<Owner> {
  /** Whether the newest key encrypted it. */
  isCurrent(encrypted: string): boolean;
  encrypt(owner: Owner, secret: Uint8Array): string;
  decrypt(owner: Owner, encrypted: string): Uint8Array | null;
}

const PAGE = 100;

/**
 * Re-encrypts what is not under the newest key. One secret after the other, so that it hardly loads the store.
 *
 * Concurrency: may run in several processes at once, and may be interrupted and started again.
 */
export async function reencrypt<Owner>(
  store: EncryptedStore<Owner>,
  cipher: ReencryptingCipher<Owner>,
): Promise<Reencrypted> {
  let reencrypted = 0;
  let unreadable = 0;
  let cursor: string | null = null;
  do {
    const page = await store.listEncrypted({ limit: PAGE, cursor });
    for (const { owner, encrypted } of page.items) {
      if (cipher.isCurrent(encrypted)) continue;
      const secret = cipher.decrypt(owner, encrypted);
      if (secret === null) {
        unreadable += 1;
        continue;
      }
      const change = { expected: encrypted, replacement: cipher.encrypt(owner, secret) };
      // `false`: the owner has replaced it meanwhile, and its new secret is under the newest key.
      if (await store.replaceEncrypted(owner, change)) reencrypted += 1;
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { reencrypted, unreadable };
}

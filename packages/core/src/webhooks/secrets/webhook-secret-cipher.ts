import { accountName } from '../../account-name.ts';
import { createSecretCipher } from '../../keys/secret-cipher.ts';
import type { SecretRing } from '../../keys/secret-ring.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import { RecentCache } from '../../tokens/recent-cache.ts';

/** How many decrypted secrets are cached: the most recently used ones. Each takes some 400 bytes. */
const CACHE_SIZE = 10_000;

/** Encrypts and decrypts signing secrets, each for its own webhook. */
export interface WebhookSecretCipher {
  encrypt(ref: WebhookRef, secret: Uint8Array): string;
  /** `null` if no key of the ring encrypted it for this webhook. Decrypted secrets are cached. */
  decrypt(ref: WebhookRef, encrypted: string): Uint8Array | null;
  /** Whether a secret was encrypted with the newest key of the ring. */
  isCurrent(encrypted: string): boolean;
}

interface CachedSecret extends WebhookRef {
  readonly secret: Uint8Array;
}

/**
 * Security: account and webhook are authenticated as associated data, so that nobody with write access to the store can
 * make one webhook sign with the secret of another.
 */
export function createWebhookSecretCipher(ring: SecretRing): WebhookSecretCipher {
  const cipher = createSecretCipher(ring, 'webhook signing secret');
  // Decryption is much slower than a lookup, and happens at every attempt.
  const cache = new RecentCache<string, CachedSecret>(CACHE_SIZE);

  return {
    encrypt: (ref, secret) => cipher.encrypt(ownerOf(ref), secret),

    decrypt(ref, encrypted) {
      const cached = cache.get(encrypted);
      if (cached !== undefined) return belongsTo(cached, ref) ? cached.secret : null;
      const secret = cipher.decrypt(ownerOf(ref), encrypted);
      if (secret === null) return null;
      cache.set(encrypted, { accountId: ref.accountId, webhookId: ref.webhookId, secret });
      return secret;
    },

    isCurrent: (encrypted) => cipher.isCurrent(encrypted),
  };
}

/** None of these ids contains a dot, so no other pair of ids has the same text. */
function ownerOf({ accountId, webhookId }: WebhookRef): string {
  return `${accountName(accountId)}.${webhookId}`;
}

function belongsTo(cached: CachedSecret, { accountId, webhookId }: WebhookRef): boolean {
  return cached.webhookId === webhookId && cached.accountId === accountId;
}

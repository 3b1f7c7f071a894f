import type { EncryptedStore } from '../storage/encrypted-store.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { type Reencrypted, type ReencryptingCipher, reencrypt } from './re-encrypt.ts';

/** What came of {@link KeyControl.reencrypt}, for each kind of secret. `null`: this process keeps none. */
export interface ReencryptionReport {
  /** Second factors that the storage keeps. Looked at where `keys.encryption` was given. */
  readonly factors: Reencrypted | null;
  /** Signing secrets of webhooks. */
  readonly webhookSecrets: Reencrypted | null;
}

/** Keys, for the host. */
export interface KeyControl {
  /**
   * Encrypts whatever is under an older key of `keys.encryption` again, under the newest; then the older keys can be
   * dropped. Call it once, in one process, when all processes have encrypted with the newest for ten minutes: an
   * enrolment that was begun before may last that long.
   *
   * Walks over the whole storage, one secret after the other, and locks nothing.
   *
   * Idempotency: can be interrupted and repeated. A second time there is nothing left to do.
   *
   * Rejects with an `AuthError` (`temporarily_unavailable`) if the storage does not answer. What was encrypted by then
   * stays so: call it again.
   */
  reencrypt(): Promise<ReencryptionReport>;
}

/** Secrets of one kind: the store that keeps them, and the cipher that encrypts them. */
export interface EncryptedKind<Owner> {
  readonly store: EncryptedStore<Owner>;
  readonly cipher: ReencryptingCipher<Owner>;
}

/** `undefined`: there are no secrets of that kind. */
export interface EncryptedKinds {
  readonly factors: EncryptedKind<string> | undefined;
  readonly webhookSecrets: EncryptedKind<WebhookRef> | undefined;
}

export function createKeyControl({ factors, webhookSecrets }: EncryptedKinds): KeyControl {
  return {
    async reencrypt() {
      return {
        factors: factors ? await reencrypt(factors.store, factors.cipher) : null,
        webhookSecrets: webhookSecrets
          ? await reencrypt(webhookSecrets.store, webhookSecrets.cipher)
          : null,
      };
    },
  };
}

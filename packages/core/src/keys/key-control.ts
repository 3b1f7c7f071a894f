import type { EncryptedStore } from '../storage/encrypted-store.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { type Reencrypted, type ReencryptingCipher, reencrypt } from './re-encrypt.ts';

/** The result of {@link KeyControl.reencrypt}, for each kind of secret. `null`: this process keeps none. */
export interface ReencryptionReport {
  /** Second factors in the storage. `null` also where `keys.encryption` was not given. */
  readonly factors: Reencrypted | null;
  /** Signing secrets of webhooks. */
  readonly webhookSecrets: Reencrypted | null;
}

/** Operations on keys, for the host. */
export interface KeyControl {
  /**
   * Re-encrypts everything under the newest key of `keys.encryption`; then the older keys can be dropped. Call it once,
   * in one process, when all processes have encrypted with the newest for ten minutes, since an enrolment that was
   * begun before can stay pending for as long.
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

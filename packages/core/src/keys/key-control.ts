import type { EncryptedStore } from '../storage/encrypted-store.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { type Reencrypted, type ReencryptingCipher, reencrypt } from './re-encrypt.ts';

/** The result of {@link KeyControl.reencrypt}, for each kind of secret. `null`: this process has no such secrets. */
export interface ReencryptionReport {
  /** Second factors in the storage. `null` also if `keys.encryption` is not set. */
  readonly factors: Reencrypted | null;
  /** Signing secrets of webhooks. */
  readonly webhookSecrets: Reencrypted | null;
}

/** Operations on keys, for the host. */
export interface KeyControl {
  /**
   * Re-encrypts everything under the newest key of `keys.encryption`; then the older keys can be removed. Call this
   * once, in one process, ten minutes after the last process has got the newest key: until then, an enrolment may be
   * pending under an older key.
   *
   * Reads the whole storage, one secret after the other, and locks nothing.
   *
   * Idempotency: can be interrupted and repeated. A second call finds nothing to do.
   *
   * Rejects with an `AuthError` (`temporarily_unavailable`) if the storage does not answer. Call it again then: secrets
   * that were re-encrypted stay so.
   */
  reencrypt(): Promise<ReencryptionReport>;
}

/** Secrets of one kind: the store that holds them, and the cipher that encrypts them. */
export interface EncryptedKind<Owner> {
  readonly store: EncryptedStore<Owner>;
  readonly cipher: ReencryptingCipher<Owner>;
}

/** The kinds of encrypted secrets. `undefined`: the app has no secrets of that kind. */
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

import type { SealedStore } from '../storage/sealed-store.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { type Resealed, type ResealingBox, reseal } from './reseal.ts';

/** What came of {@link KeyControl.reseal}, for each kind of secret. `null`: this process keeps none. */
export interface ResealReport {
  /** Second factors that the storage keeps. Looked at where `keys.encryption` was given. */
  readonly factors: Resealed | null;
  /** Signing secrets of webhooks. */
  readonly webhookSecrets: Resealed | null;
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
  reseal(): Promise<ResealReport>;
}

/** Secrets of one kind: the store that keeps them, and the box that seals them. */
export interface SealedKind<Owner> {
  readonly store: SealedStore<Owner>;
  readonly box: ResealingBox<Owner>;
}

/** `undefined`: there are no secrets of that kind. */
export interface SealedKinds {
  readonly factors: SealedKind<string> | undefined;
  readonly webhookSecrets: SealedKind<WebhookRef> | undefined;
}

export function createKeyControl({ factors, webhookSecrets }: SealedKinds): KeyControl {
  return {
    async reseal() {
      return {
        factors: factors ? await reseal(factors.store, factors.box) : null,
        webhookSecrets: webhookSecrets
          ? await reseal(webhookSecrets.store, webhookSecrets.box)
          : null,
      };
    },
  };
}

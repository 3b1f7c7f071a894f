import type { SealedStore } from '../storage/sealed-store.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { type Resealed, type ResealingBox, reseal } from './reseal.ts';

/** What came of {@link KeyControl.reseal}, by what is encrypted. `null`: `createAuth` was not told to have any. */
export interface ResealReport {
  /** Second factors that users have enrolled. */
  readonly factors: Resealed | null;
  /** Signing secrets of webhooks. */
  readonly webhookSecrets: Resealed | null;
}

/** Keys, for the host. */
export interface KeyControl {
  /**
   * Encrypts whatever is under an older key of `keys.encryption` anew, under the newest: from then on the older
   * ones can be dropped. To be called once, in one process, when every process encrypts with the newest and
   * has for ten minutes, as an enrolment that was begun before may last so long.
   *
   * Walks over the whole storage, one secret after the other, and is in nobody's way.
   *
   * Idempotency: can be repeated, and broken off. A second time there is nothing left to do.
   *
   * Rejects with an `AuthError` (`temporarily_unavailable`) where the storage does not answer: what was done by
   * then is done, so call it again.
   */
  reseal(): Promise<ResealReport>;
}

/** Secrets of one kind: where they are, and what seals them. */
export interface SealedKind<Owner> {
  readonly store: SealedStore<Owner>;
  readonly box: ResealingBox<Owner>;
}

/** Absent: there are none. */
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

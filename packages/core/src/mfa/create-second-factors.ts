import type { EncryptedKind } from '../keys/key-control.ts';
import { createSecretCipher } from '../keys/secret-cipher.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { AnyUserStore } from '../users/users.ts';
import { type CheckSecondFactor, createCheckSecondFactor } from './check-second-factor.ts';
import { createEnrolledFactors, type EnrolledFactors } from './enrolled-factors.ts';
import { createEnrolmentQuotas } from './enrolment-quotas.ts';
import { createFactorEnrolment, type FactorEnrolment } from './factor-enrolment.ts';
import { createFactorOf, type FactorOf } from './user-factor.ts';

/** Second factors: enrolment of factors in the storage, and the checks of logins. */
export interface SecondFactors {
  /** For the routes. `undefined`: `mfa.enrolment` is not set. */
  readonly enrolment: FactorEnrolment | undefined;
  /** For re-encryption. `undefined`: the storage keeps no factors. */
  readonly encryptedFactors: EncryptedKind<string> | undefined;
  /** `undefined`: the storage keeps no factors. */
  readonly enrolled: EnrolledFactors | undefined;
  readonly factorOf: FactorOf;
  readonly checkSecondFactor: CheckSecondFactor;
}

export interface SecondFactorsDeps {
  /** Its calls have timeouts. `undefined`: the storage keeps no factors. */
  readonly store: MfaStore | undefined;
  /** `undefined`: `mfa.enrolment` is not set. */
  readonly enrolmentSettings: { readonly issuerName: string } | undefined;
  readonly encryption: SecretRing;
  readonly users: AnyUserStore;
  readonly limiters: LimiterFactory;
  readonly emit: (event: SecurityEvent) => void;
}

/**
 * Security: a login requires the factor in the storage even if `mfa.enrolment` is not set. Otherwise a single process
 * without that option would let in everybody who knows the password.
 */
export function createSecondFactors(deps: SecondFactorsDeps): SecondFactors {
  const { store, enrolmentSettings, encryption, users, limiters, emit } = deps;
  const checkSecondFactor = createCheckSecondFactor(store);
  if (!store) {
    const factorOf = createFactorOf(users, undefined);
    return {
      enrolment: undefined,
      encryptedFactors: undefined,
      enrolled: undefined,
      factorOf,
      checkSecondFactor,
    };
  }
  const cipher = createSecretCipher(encryption, 'totp secret');
  const enrolled = createEnrolledFactors(store, cipher);
  return {
    enrolment:
      enrolmentSettings &&
      createFactorEnrolment({
        store,
        enrolled,
        quotas: createEnrolmentQuotas(limiters),
        issuerName: enrolmentSettings.issuerName,
        emit,
      }),
    encryptedFactors: { store, cipher },
    enrolled,
    factorOf: createFactorOf(users, enrolled),
    checkSecondFactor,
  };
}

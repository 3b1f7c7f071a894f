import { createSecretCipher, type SecretCipher } from '../keys/secret-cipher.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { AnyUserStore } from '../users/users.ts';
import { type CheckSecondFactor, createCheckSecondFactor } from './check-second-factor.ts';
import { createEnrolledFactors, type EnrolledFactors } from './enrolled-factors.ts';
import { createEnrolmentQuotas } from './enrolment-quotas.ts';
import { createFactorEnrolment, type FactorEnrolment } from './factor-enrolment.ts';
import { createFactorOf, type FactorOf } from './user-factor.ts';

/** Second factors: enrolment of those that the storage keeps, and the checks of logins. */
export interface SecondFactors {
  /** For the routes. `undefined`: users enrol none here. */
  readonly enrolment: FactorEnrolment | undefined;
  /** For re-encryption. `undefined`: the storage keeps none. */
  readonly encrypted: EncryptedFactors | undefined;
  readonly factorOf: FactorOf;
  readonly checkSecondFactor: CheckSecondFactor;
}

/** The secrets of the factors that the storage keeps. */
interface EncryptedFactors {
  readonly store: MfaStore;
  /** Encrypts them for the store. */
  readonly cipher: SecretCipher;
}

export interface SecondFactorsDeps {
  /** With timeouts. `undefined`: the storage keeps none. */
  readonly store: MfaStore | undefined;
  /** `undefined`: users enrol none here. */
  readonly enrolment: { readonly issuerName: string } | undefined;
  /** Asked for only if the storage keeps any. */
  readonly encryption: () => SecretRing;
  readonly users: AnyUserStore;
  readonly limiters: LimiterFactory;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

/**
 * Security: a factor that the storage keeps is required at login, whether users enrol here or not. Otherwise a process
 * that lacks the option, among others that have it, would let in anyone who knows the password.
 */
export function createSecondFactors(deps: SecondFactorsDeps): SecondFactors {
  const { store, users, encryption } = deps;
  const encrypted = store && { store, cipher: createSecretCipher(encryption(), 'totp secret') };
  const enrolled = encrypted && createEnrolledFactors(encrypted.store, encrypted.cipher);
  return {
    enrolment: enrolled && createEnrolment(deps, enrolled),
    encrypted,
    factorOf: createFactorOf(users, enrolled),
    checkSecondFactor: createCheckSecondFactor(store),
  };
}

function createEnrolment(
  { store, enrolment, limiters, clock, emit }: SecondFactorsDeps,
  enrolled: EnrolledFactors,
): FactorEnrolment | undefined {
  if (store === undefined || enrolment === undefined) return undefined;
  const { issuerName } = enrolment;
  const quotas = createEnrolmentQuotas(limiters);
  return createFactorEnrolment({ store, enrolled, quotas, issuerName, clock, emit });
}

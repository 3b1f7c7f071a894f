import { type AtRestBox, createAtRestBox } from '../keys/at-rest-box.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { UserDirectory } from '../users/users.ts';
import { type CheckSecondFactor, createCheckSecondFactor } from './check-second-factor.ts';
import { createEnrolledFactors, type EnrolledFactors } from './enrolled-factors.ts';
import { createEnrolmentQuotas } from './enrolment-quotas.ts';
import { createFactorEnrolment, type FactorEnrolment } from './factor-enrolment.ts';
import { createFactorOf, type FactorOf } from './user-factor.ts';

/** Second factors: those that the storage keeps, and what logins ask about any. */
export interface SecondFactors {
  /** For the routes. `undefined`: users enrol none here. */
  readonly enrolment: FactorEnrolment | undefined;
  /** For resealing. `undefined`: the storage keeps none. */
  readonly sealed: SealedFactors | undefined;
  readonly factorOf: FactorOf;
  readonly checkSecondFactor: CheckSecondFactor;
}

/** The secrets of the factors that the storage keeps. */
interface SealedFactors {
  readonly store: MfaStore;
  /** Encrypts them for the store. */
  readonly box: AtRestBox;
}

export interface SecondFactorsDeps {
  /** Bounded. `undefined`: the storage keeps none. */
  readonly store: MfaStore | undefined;
  /** `undefined`: users enrol none here. */
  readonly enrolment: { readonly issuerName: string } | undefined;
  /** Asked for only if the storage keeps any. */
  readonly encryption: () => SecretRing;
  readonly users: UserDirectory;
  readonly limiters: LimiterFactory;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

/**
 * Security: a factor that the storage keeps is asked for, whether users enrol here or not. A process that lacks the
 * option, among others that have it, would let in whoever knows the password.
 */
export function createSecondFactors(deps: SecondFactorsDeps): SecondFactors {
  const { store, users, encryption } = deps;
  const sealed = store && { store, box: createAtRestBox(encryption(), 'totp secret') };
  const enrolled = sealed && createEnrolledFactors(sealed.store, sealed.box);
  return {
    enrolment: enrolled && createEnrolment(deps, enrolled),
    sealed,
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

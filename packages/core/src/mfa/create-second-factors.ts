import type { CallBoundary } from '../faults/call-boundary.ts';
import { type AtRestBox, createAtRestBox } from '../keys/at-rest-box.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { boundedMfa } from '../storage/bounded-storage.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { UserDirectory } from '../users/users.ts';
import { type CheckSecondFactor, createCheckSecondFactor } from './check-second-factor.ts';
import { createEnrolledFactors, type EnrolledFactors } from './enrolled-factors.ts';
import { createEnrolmentQuotas } from './enrolment-quotas.ts';
import { createFactorEnrolment, type FactorEnrolment } from './factor-enrolment.ts';
import { createFactorOf, type FactorOf } from './user-factor.ts';

/** Second factors: those that users enrol here, and what logins ask about any. */
export interface SecondFactors {
  /** `undefined`: users enrol none here. */
  readonly enrolment: Enrolment | undefined;
  readonly factorOf: FactorOf;
  readonly checkSecondFactor: CheckSecondFactor;
}

/** The parts of enrolment. */
interface Enrolment {
  /** For the routes. */
  readonly registry: FactorEnrolment;
  /** For logins. */
  readonly enrolled: EnrolledFactors;
  /** For resealing. */
  readonly store: MfaStore;
  /** Encrypts the secrets for the store. */
  readonly box: AtRestBox;
}

export interface SecondFactorsDeps {
  /** `undefined`: users enrol none here. */
  readonly enrolment: { readonly store: MfaStore; readonly issuerName: string } | undefined;
  /** Asked for only if they do. */
  readonly encryption: () => SecretRing;
  readonly users: UserDirectory;
  /** For calls of the store of factors. */
  readonly callStorage: CallBoundary;
  readonly limiters: LimiterFactory;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createSecondFactors(deps: SecondFactorsDeps): SecondFactors {
  const enrolment = createEnrolment(deps);
  return {
    enrolment,
    factorOf: createFactorOf(deps.users, enrolment?.enrolled),
    checkSecondFactor: createCheckSecondFactor(enrolment?.store),
  };
}

function createEnrolment(deps: SecondFactorsDeps): Enrolment | undefined {
  if (deps.enrolment === undefined) return undefined;
  const { limiters, clock, emit } = deps;
  const { issuerName } = deps.enrolment;
  const store = boundedMfa(deps.enrolment.store, deps.callStorage);
  const box = createAtRestBox(deps.encryption(), 'totp secret');
  const enrolled = createEnrolledFactors(store, box);
  const quotas = createEnrolmentQuotas(limiters);
  const registry = createFactorEnrolment({ store, enrolled, quotas, issuerName, clock, emit });
  return { registry, enrolled, store, box };
}

import { type AtRestBox, createAtRestBox } from '../keys/at-rest-box.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import { createEnrolledFactors, type EnrolledFactors } from './enrolled-factors.ts';
import { createEnrolmentThrottle } from './enrolment-throttle.ts';
import { createFactorEnrolment, type FactorEnrolment } from './factor-enrolment.ts';

/** The parts of enrolment. */
export interface Enrolment {
  /** For the routes. */
  readonly registry: FactorEnrolment;
  /** For logins. */
  readonly enrolled: EnrolledFactors;
  readonly store: MfaStore;
  /** Encrypts the secrets for the store. */
  readonly box: AtRestBox;
}

export interface EnrolmentDeps {
  readonly store: MfaStore;
  readonly limiters: LimiterFactory;
  readonly encryption: SecretRing;
  readonly issuerName: string;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createEnrolment({ encryption, limiters, ...deps }: EnrolmentDeps): Enrolment {
  const { store } = deps;
  const box = createAtRestBox(encryption, 'totp secret');
  const enrolled = createEnrolledFactors(store, box);
  const throttle = createEnrolmentThrottle(limiters);
  return {
    store,
    box,
    enrolled,
    registry: createFactorEnrolment({ ...deps, enrolled, throttle }),
  };
}

import type { CallBoundary } from '../faults/call-boundary.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import { boundedMfa } from '../storage/bounded-storage.ts';
import type { UserDirectory } from '../users/users.ts';
import { createEnrolment, type Enrolment, type EnrolmentDeps } from './create-enrolment.ts';
import { createFactorShown, type FactorShown } from './factor-shown.ts';
import { createFactorOf, type FactorOf } from './user-factor.ts';

/** Second factors: those that users enrol here, and what logins ask about any. */
export interface SecondFactors {
  /** `undefined`: users enrol none here. */
  readonly enrolment: Enrolment | undefined;
  readonly factorOf: FactorOf;
  readonly factorShown: FactorShown;
}

type EnrolmentSettings = Pick<EnrolmentDeps, 'store' | 'issuerName'>;

export interface SecondFactorsDeps
  extends Omit<EnrolmentDeps, keyof EnrolmentSettings | 'encryption'> {
  /** `undefined`: users enrol none here. */
  readonly enrolment: EnrolmentSettings | undefined;
  /** Asked for only if they do. */
  readonly encryption: () => SecretRing;
  readonly users: UserDirectory;
  /** For calls of the store of factors. */
  readonly callStorage: CallBoundary;
}

export function createSecondFactors(deps: SecondFactorsDeps): SecondFactors {
  const { enrolment: settings, encryption, users, callStorage, limiters, clock, emit } = deps;
  const enrolment =
    settings &&
    createEnrolment({
      ...settings,
      store: boundedMfa(settings.store, callStorage),
      encryption: encryption(),
      limiters,
      clock,
      emit,
    });
  return {
    enrolment,
    factorOf: createFactorOf(users, enrolment?.enrolled),
    factorShown: createFactorShown(enrolment?.store),
  };
}

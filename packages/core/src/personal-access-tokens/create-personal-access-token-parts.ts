import type { CheckSecondFactor } from '../mfa/check-second-factor.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { PersonalAccessTokenStore } from '../storage/personal-access-token-store.ts';
import type { LoginStanding } from '../users/login-standing.ts';
import type { UserDirectory } from '../users/users.ts';
import { createFoundTokens } from './found-tokens.ts';
import {
  createPersonalAccessTokenControl,
  type PersonalAccessTokenControl,
} from './personal-access-token-control.ts';
import type { PersonalAccessTokenPolicy } from './personal-access-token-policy.ts';
import {
  createPersonalAccessTokenRegistry,
  type PersonalAccessTokenRegistry,
} from './personal-access-token-registry.ts';
import {
  createUsePersonalAccessToken,
  type UsePersonalAccessToken,
} from './use-personal-access-token.ts';

/** The parts of personal access tokens. */
export interface PersonalAccessTokenParts {
  /** For the routes: what users do with their own. */
  readonly registry: PersonalAccessTokenRegistry;
  /** For the host; and for the routes, the revocation of a token by its holder. */
  readonly control: PersonalAccessTokenControl;
  /** For requests with such a token. */
  readonly use: UsePersonalAccessToken;
}

export interface PersonalAccessTokenPartsDeps {
  readonly store: PersonalAccessTokenStore;
  readonly users: Pick<UserDirectory, 'findById'>;
  readonly loginStanding: LoginStanding;
  readonly checkSecondFactor: CheckSecondFactor;
  readonly policy: PersonalAccessTokenPolicy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createPersonalAccessTokenParts(
  deps: PersonalAccessTokenPartsDeps,
): PersonalAccessTokenParts {
  const { store, users, loginStanding, checkSecondFactor, policy, clock, emit } = deps;
  return {
    registry: createPersonalAccessTokenRegistry({
      store,
      loginStanding,
      checkSecondFactor,
      policy,
      emit,
    }),
    control: createPersonalAccessTokenControl(store, emit),
    use: createUsePersonalAccessToken({ found: createFoundTokens(store, policy, clock), users }),
  };
}

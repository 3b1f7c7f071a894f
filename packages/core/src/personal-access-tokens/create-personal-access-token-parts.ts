import type { CheckSecondFactor } from '../mfa/check-second-factor.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { PersonalAccessTokenStore } from '../storage/personal-access-token-store.ts';
import type { CheckUserStatus } from '../users/check-user-status.ts';
import type { AnyUserStore } from '../users/users.ts';
import { createPersonalAccessTokenCache } from './personal-access-token-cache.ts';
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
  /** For the routes of users, for their own tokens. */
  readonly registry: PersonalAccessTokenRegistry;
  /** For the host; and for the routes, the revocation of a token by its holder. */
  readonly control: PersonalAccessTokenControl;
  /** For requests that carry such a token. */
  readonly use: UsePersonalAccessToken;
}

export interface PersonalAccessTokenPartsDeps {
  readonly store: PersonalAccessTokenStore;
  readonly users: Pick<AnyUserStore, 'findById'>;
  readonly checkUserStatus: CheckUserStatus;
  readonly checkSecondFactor: CheckSecondFactor;
  readonly scopeTable: ScopeTable;
  readonly policy: PersonalAccessTokenPolicy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createPersonalAccessTokenParts(
  deps: PersonalAccessTokenPartsDeps,
): PersonalAccessTokenParts {
  const { store, users, checkUserStatus, checkSecondFactor, scopeTable, policy, clock, emit } =
    deps;
  return {
    registry: createPersonalAccessTokenRegistry({
      store,
      checkUserStatus,
      checkSecondFactor,
      scopeTable,
      policy,
      emit,
    }),
    control: createPersonalAccessTokenControl(store, scopeTable, emit),
    use: createUsePersonalAccessToken({
      cache: createPersonalAccessTokenCache(store, policy, scopeTable, clock),
      users,
      scopeTable,
    }),
  };
}

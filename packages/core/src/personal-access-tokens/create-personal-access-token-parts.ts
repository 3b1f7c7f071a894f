import type { Clock } from '../ports/clock.ts';
import type { PersonalAccessTokenStore } from '../storage/personal-access-token-store.ts';
import type { AnyUserStore } from '../users/users.ts';
import { createPersonalAccessTokenCache } from './personal-access-token-cache.ts';
import {
  createPersonalAccessTokenControl,
  type PersonalAccessTokenControl,
} from './personal-access-token-control.ts';
import {
  createPersonalAccessTokenRegistry,
  type PersonalAccessTokenRegistry,
  type PersonalAccessTokenRegistryDeps,
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

export interface PersonalAccessTokenPartsDeps extends PersonalAccessTokenRegistryDeps {
  readonly store: PersonalAccessTokenStore;
  readonly users: Pick<AnyUserStore, 'findById'>;
  readonly clock: Clock;
}

export function createPersonalAccessTokenParts(
  deps: PersonalAccessTokenPartsDeps,
): PersonalAccessTokenParts {
  const { store, users, scopeTable, policy, clock, emit } = deps;
  return {
    registry: createPersonalAccessTokenRegistry(deps),
    control: createPersonalAccessTokenControl(store, scopeTable, emit),
    use: createUsePersonalAccessToken({
      cache: createPersonalAccessTokenCache(store, policy, scopeTable, clock),
      users,
      scopeTable,
    }),
  };
}

import {
  type ChallengeGrant,
  type ChallengeGrantDeps,
  createChallengeGrant,
} from './challenge-grant.ts';
import { createHostGrant, type HostGrant, type HostGrantDeps } from './host-grant.ts';
import {
  createPasswordGrant,
  type PasswordGrant,
  type PasswordGrantDeps,
} from './password-grant.ts';
import { createRefreshGrant, type RefreshGrant, type RefreshGrantDeps } from './refresh-grant.ts';

/** The grants: the four ways to get tokens. */
export interface Grants {
  readonly passwordGrant: PasswordGrant;
  readonly hostGrant: HostGrant;
  readonly refreshGrant: RefreshGrant;
  readonly challengeGrant: ChallengeGrant;
}

export type GrantsDeps = PasswordGrantDeps & HostGrantDeps & RefreshGrantDeps & ChallengeGrantDeps;

export function createGrants(deps: GrantsDeps): Grants {
  return {
    passwordGrant: createPasswordGrant(deps),
    hostGrant: createHostGrant(deps),
    refreshGrant: createRefreshGrant(deps),
    challengeGrant: createChallengeGrant(deps),
  };
}

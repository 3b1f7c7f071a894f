import {
  type ChallengeGrant,
  type ChallengeGrantDeps,
  createChallengeGrant,
} from './challenge-grant.ts';
import {
  createPasswordGrant,
  type PasswordGrant,
  type PasswordGrantDeps,
} from './password-grant.ts';
import { createRefreshGrant, type RefreshGrant, type RefreshGrantDeps } from './refresh-grant.ts';

/** The ways to tokens. */
export interface Grants {
  readonly passwordGrant: PasswordGrant;
  readonly refreshGrant: RefreshGrant;
  readonly challengeGrant: ChallengeGrant;
}

export type GrantsDeps = PasswordGrantDeps & RefreshGrantDeps & ChallengeGrantDeps;

export function createGrants(deps: GrantsDeps): Grants {
  return {
    passwordGrant: createPasswordGrant(deps),
    refreshGrant: createRefreshGrant(deps),
    challengeGrant: createChallengeGrant(deps),
  };
}

import type { PersonalAccessTokenFacets } from '../personal-access-tokens/create-personal-access-tokens.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createSessionControl } from '../sessions/session-control.ts';
import type { SessionStore } from '../storage/session-store.ts';
import {
  createIntrospectToken,
  type IntrospectToken,
  type IntrospectTokenDeps,
} from './introspect-token.ts';
import {
  createRevokeByToken,
  type RevokeByToken,
  type RevokeByTokenDeps,
} from './revoke-by-token.ts';

/** What anybody may ask of us who holds a token, of whatever kind. */
export interface PresentedTokens {
  readonly introspectToken: IntrospectToken;
  readonly revokeByToken: RevokeByToken;
}

export interface PresentedTokensDeps
  extends Pick<RevokeByTokenDeps, 'accessTokens' | 'refreshTokens'>,
    Pick<IntrospectTokenDeps, 'users' | 'policy' | 'clock'> {
  readonly sessions: SessionStore;
  /** `undefined`: there are none. */
  readonly personalAccessTokens: Pick<PersonalAccessTokenFacets, 'use' | 'control'> | undefined;
  readonly emit: (event: SecurityEvent) => void;
}

export function createPresentedTokens(deps: PresentedTokensDeps): PresentedTokens {
  const { accessTokens, refreshTokens, sessions, users, personalAccessTokens } = deps;
  const { policy, clock, emit } = deps;
  return {
    introspectToken: createIntrospectToken({
      accessTokens,
      refreshTokens,
      sessions,
      users,
      usePersonalAccessToken: personalAccessTokens?.use,
      policy,
      clock,
    }),
    revokeByToken: createRevokeByToken({
      refreshTokens,
      accessTokens,
      sessions: createSessionControl(sessions, emit, 'holder'),
      personalAccessTokens: personalAccessTokens?.control,
    }),
  };
}

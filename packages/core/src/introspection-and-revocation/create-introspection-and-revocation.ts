import type { PersonalAccessTokenParts } from '../personal-access-tokens/create-personal-access-token-parts.ts';
import type { RefreshTokens } from '../sessions/refresh-token.ts';
import { createSessionControl } from '../sessions/session-control.ts';
import type { SessionStore } from '../storage/session-store.ts';
import {
  createIntrospectToken,
  type IntrospectToken,
  type IntrospectTokenDeps,
} from './introspect-token.ts';
import { createRevokeByToken, type RevokeByToken } from './revoke-by-token.ts';

/** Introspection (RFC 7662) and revocation (RFC 7009) of tokens of any kind. */
export interface IntrospectionAndRevocation {
  readonly introspectToken: IntrospectToken;
  readonly revokeByToken: RevokeByToken;
}

export interface IntrospectionAndRevocationDeps
  extends Omit<IntrospectTokenDeps, 'usePersonalAccessToken'> {
  readonly refreshTokens: RefreshTokens;
  readonly sessions: SessionStore;
  /** Absent: the app has no personal access tokens. */
  readonly personalAccessTokens?: PersonalAccessTokenParts | undefined;
}

export function createIntrospectionAndRevocation(
  deps: IntrospectionAndRevocationDeps,
): IntrospectionAndRevocation {
  const { accessTokens, refreshTokens, sessions, personalAccessTokens, emit } = deps;
  return {
    introspectToken: createIntrospectToken({
      ...deps,
      usePersonalAccessToken: personalAccessTokens?.use,
    }),
    revokeByToken: createRevokeByToken({
      accessTokens,
      refreshTokens,
      sessions: createSessionControl(sessions, emit, 'holder'),
      personalAccessTokens: personalAccessTokens?.control,
    }),
  };
}

import type { AccountId, AccountIdKind } from '../account-id.ts';
import type { CallGuard } from '../faults/call-guard.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { type ChallengeTokens, createChallengeTokens } from '../mfa/challenge-token.ts';
import type { Policy } from '../policy.ts';
import type { Clock } from '../ports/clock.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { createRefreshTokens, type RefreshTokens } from '../sessions/refresh-token.ts';
import type { ClockTolerance } from '../tokens/access-token.ts';
import {
  type AccessTokenVerifier,
  createAccessTokenVerifier,
} from '../tokens/access-token-verifier.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import { createIssueAccessToken, type TokenIdentity } from '../tokens/issue-access-token.ts';
import type { AccessTokenClaims } from './access-token-claims.ts';
import {
  type ClaimsOfHost,
  createClaimsOfHost,
  createIssueTokens,
  type IssueTokens,
} from './issue-tokens.ts';
import { createTokenFits, type TokenFits } from './token-fits.ts';

/** The tokens of logins: a verifier for each kind, and the function that issues them at the end of a grant. */
export interface Tokens {
  readonly accessTokens: AccessTokenVerifier;
  readonly refreshTokens: RefreshTokens;
  readonly challengeTokens: ChallengeTokens;
  readonly claimsOfHost: ClaimsOfHost;
  readonly tokenFits: TokenFits;
  readonly issueTokens: IssueTokens;
}

export interface TokensDeps {
  readonly identity: TokenIdentity;
  readonly signingKeys: SigningKeys;
  readonly secrets: SecretRing;
  readonly cacheSize: number;
  readonly tolerance: ClockTolerance;
  readonly scopeTable: ScopeTable;
  readonly accountIdKind: AccountIdKind;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly accessTokenClaims: AccessTokenClaims<HostClaims, Scope, AccountId> | undefined;
  /** Calls `accessTokenClaims`. */
  readonly callHost: CallGuard;
}

export function createTokens(deps: TokensDeps): Tokens {
  const { identity, signingKeys, secrets, cacheSize, tolerance } = deps;
  const { scopeTable, accountIdKind, accessTokenClaims, callHost, policy, clock } = deps;
  const { issuer, audience } = identity;
  const refreshTokens = createRefreshTokens(secrets);
  const issueAccessToken = createIssueAccessToken(signingKeys, identity);
  return {
    accessTokens: createAccessTokenVerifier({
      keys: signingKeys,
      clock,
      issuer,
      audience,
      cacheSize,
      tolerance,
      scopeTable,
      accountIdKind,
    }),
    refreshTokens,
    challengeTokens: createChallengeTokens(secrets, accessTokenClaims !== undefined),
    claimsOfHost: createClaimsOfHost(accessTokenClaims, callHost),
    tokenFits: createTokenFits(signingKeys, identity, clock),
    issueTokens: createIssueTokens({ issueAccessToken, refreshTokens, scopeTable, policy, clock }),
  };
}

import type { AccessTokenFits } from '../tokens/access-token-fits.ts';
import type { AccessTokenSubject } from '../tokens/issue-access-token.ts';
import { accountsFor } from '../users/entitlement.ts';
import type { User } from '../users/users.ts';

/** What a grant is about to put into an access token. */
export interface TokenContent
  extends Pick<AccessTokenSubject, 'scopes' | 'accountId' | 'amr' | 'authTimeMs' | 'claims'> {
  readonly user: User;
}

/**
 * Whether a user's access token can be issued: one that names all of many accounts may be too long. Where it cannot,
 * one that is bound to an account can.
 */
export type TokenFits = (content: TokenContent) => boolean;

/** As long as any session's. */
const ANY_SESSION_ID = 'A'.repeat(22);

export function createTokenFits(fits: AccessTokenFits): TokenFits {
  return ({ user, scopes, accountId, amr, authTimeMs, claims }) =>
    fits({
      userId: user.id,
      sessionId: ANY_SESSION_ID,
      scopes,
      accounts: accountsFor(user, accountId),
      accountId,
      authTimeMs,
      amr,
      claims,
    });
}

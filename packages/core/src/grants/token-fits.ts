import type { AccountId } from '../account-id.ts';
import { serverFault } from '../errors.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Clock } from '../ports/clock.ts';
import { ACCESS_TOKEN_MAX_LENGTH } from '../tokens/access-token.ts';
import { NO_HOST_CLAIMS } from '../tokens/host-claims.ts';
import {
  type AccessTokenSubject,
  claimsOf,
  compactJwsLength,
  type TokenIdentity,
} from '../tokens/issue-access-token.ts';
import { accountsFor } from '../users/entitlement.ts';
import type { AnyUser } from '../users/users.ts';
import { LONGEST_AMR } from './authentication-methods.ts';

/** The content of an access token that a grant is about to issue. */
export interface TokenContent
  extends Pick<AccessTokenSubject, 'scopes' | 'accountId' | 'amr' | 'authTimeMs' | 'claims'> {
  readonly user: AnyUser;
  /** The longest token that the client can store, in characters. Default: {@link ACCESS_TOKEN_MAX_LENGTH}. */
  readonly maxTokenChars?: number | undefined;
}

/**
 * Whether an access token is short enough to be issued: a token that names very many accounts may exceed {@link
 * ACCESS_TOKEN_MAX_LENGTH} characters, and would be rejected unread. Check this before anything is stored. A token that
 * is bound to one account always fits, except in a cookie.
 */
export type TokenFits = (content: TokenContent) => boolean;

/** As long as any session id. */
const ANY_SESSION_ID = 'A'.repeat(22);
/** As long as any `jti`. */
const ANY_TOKEN_ID = '00000000-0000-0000-0000-000000000000';
const EMPTY_CONTENT: TokenContent = {
  user: { id: '', accounts: [], passwordHash: null },
  scopes: [],
  accountId: null,
  // Has as many digits as the time of any login.
  authTimeMs: 1e12,
  amr: LONGEST_AMR,
  claims: NO_HOST_CLAIMS,
};
/** JSON escapes a character as at most six characters (`\u0000`), which base64url encodes as eight. */
const MAX_ENCODED_CHARS = 8;
/** The longest account id in JSON: 64 characters, quotes and a comma. */
const MAX_ACCOUNT_CHARS = 67;

export function createTokenFits(
  keys: Pick<SigningKeys, 'signingKey' | 'maxSignatureBytes'>,
  identity: TokenIdentity,
  clock: Clock,
): TokenFits {
  function lengthOf({ user, scopes, accountId, authTimeMs, amr, claims }: TokenContent): number {
    const { id: userId } = user;
    const accounts = accountsFor(user, accountId);
    const sessionId = ANY_SESSION_ID;
    const subject = { userId, sessionId, scopes, accounts, accountId, authTimeMs, amr, claims };
    // The lifetime does not matter, because `exp` always has the same number of digits.
    const life = { tokenId: ANY_TOKEN_ID, nowMs: clock.nowMs(), lifetimeSeconds: 0 };
    return compactJwsLength(claimsOf(subject, identity, life), {
      signingKey: keys.signingKey(),
      signatureBytes: keys.maxSignatureBytes,
    });
  }
  const baseLength = lengthOf(EMPTY_CONTENT);

  return (content) => {
    const { maxTokenChars = ACCESS_TOKEN_MAX_LENGTH } = content;
    // This upper bound is enough for nearly every token; the exact length costs as much as issuing the token.
    if (baseLength + MAX_ENCODED_CHARS * maxCharsOf(content) <= maxTokenChars) return true;
    return lengthOf(content) <= maxTokenChars;
  };
}

/** An upper bound of the characters by which the content exceeds `EMPTY_CONTENT`. */
function maxCharsOf({ user, scopes, claims }: TokenContent): number {
  if (claims !== NO_HOST_CLAIMS) return Number.POSITIVE_INFINITY;
  // One more than the user has: `account_id` names an account too.
  const accounts = (user.accounts.length + 1) * MAX_ACCOUNT_CHARS;
  return scopes.reduce((sum, scope) => sum + scope.length + 1, user.id.length + accounts);
}

/**
 * Asserts that a token that does not fit names several accounts. Then the client can request a token for one of them.
 *
 * @throws {AuthError} `server_error` if no client could request a shorter token: the token is bound to an account, or
 * the user has no second account
 */
export function assertHasSeveralAccounts(
  accountId: AccountId | null,
  { accounts }: Pick<AnyUser, 'accounts'>,
): void {
  if (accountId === null && accounts.length > 1) return;
  throw serverFault({
    reason:
      'an access token for one account is longer than its client can keep: cookies take 4,000 characters. Shorten what accessTokenClaims returns, or the scopes',
    where: 'host',
  });
}

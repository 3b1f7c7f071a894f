import type { AccountId } from '../account-id.ts';
import { serverFault } from '../errors.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Clock } from '../ports/clock.ts';
import { ACCESS_TOKEN_MAX_LENGTH, TOKEN_TYPE } from '../tokens/access-token.ts';
import { NO_HOST_CLAIMS } from '../tokens/host-claims.ts';
import {
  type AccessTokenSubject,
  claimsOf,
  type TokenIdentity,
} from '../tokens/issue-access-token.ts';
import { compactJwsLength } from '../tokens/sign-compact-jws.ts';
import { accountsFor } from '../users/entitlement.ts';
import type { AnyUser } from '../users/users.ts';
import { LONGEST_AMR } from './authentication-methods.ts';

/** The content of an access token that a grant is about to issue. */
export interface TokenContent
  extends Pick<AccessTokenSubject, 'scopes' | 'accountId' | 'amr' | 'authTimeMs' | 'claims'> {
  readonly user: AnyUser;
  /** The longest token that the client can keep. Default: any that is accepted. */
  readonly maxTokenChars?: number | undefined;
}

/**
 * Whether an access token can be issued: if it names very many accounts, it may exceed {@link ACCESS_TOKEN_MAX_LENGTH}
 * characters with one of the keys, and would be rejected unread. So ask before anything is stored. If a token for all
 * accounts cannot be issued, one that is bound to an account can.
 */
export type TokenFits = (content: TokenContent) => boolean;

/** As long as any session id. */
const ANY_SESSION_ID = 'A'.repeat(22);
/** As long as any `jti`. */
const ANY_TOKEN_ID = '00000000-0000-0000-0000-000000000000';
const NOTHING: TokenContent = {
  user: { id: '', accounts: [], passwordHash: null },
  scopes: [],
  accountId: null,
  authTimeMs: 1e12,
  amr: LONGEST_AMR,
  claims: NO_HOST_CLAIMS,
};
/** In JSON, a character takes six at most (`\u0000`), and base64url makes eight of six. */
const MOST_PER_CHAR = 8;
/** The longest id of an account in JSON: 64 characters, quotes and a comma. */
const MOST_CHARS_PER_ACCOUNT = 67;

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
    // Any lifetime will do: it changes no number of digits.
    const life = { tokenId: ANY_TOKEN_ID, nowMs: clock.nowMs(), lifetimeSeconds: 0 };
    return compactJwsLength(claimsOf(subject, identity, life), TOKEN_TYPE, {
      signingKey: keys.signingKey(),
      signatureBytes: keys.maxSignatureBytes,
    });
  }
  const baseLength = lengthOf(NOTHING);

  return (content) => {
    const { maxTokenChars = ACCESS_TOKEN_MAX_LENGTH } = content;
    // The quick bound is enough for nearly every token; the exact length costs as much as making the token.
    if (baseLength + MOST_PER_CHAR * charsOf(content) <= maxTokenChars) return true;
    return lengthOf(content) <= maxTokenChars;
  };
}

/** An upper bound of the characters that differ between tokens. */
function charsOf({ user, scopes, claims }: TokenContent): number {
  if (claims !== NO_HOST_CLAIMS) return Number.POSITIVE_INFINITY;
  const accounts = (user.accounts.length + 1) * MOST_CHARS_PER_ACCOUNT;
  return scopes.reduce((sum, scope) => sum + scope.length + 1, user.id.length + accounts);
}

/**
 * Why a token that does not fit is rejected.
 *
 * @throws {AuthError} `server_error` where it is bound to an account: then no client can ask for a shorter one
 */
export function reasonOfMisfit(accountId: AccountId | null): 'too_many_accounts' {
  if (accountId === null) return 'too_many_accounts';
  throw serverFault({
    reason:
      'an access token for one account is longer than its client can keep: cookies take 4,000 characters. Shorten what accessTokenClaims returns, or the scopes',
    where: 'host',
  });
}

import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Clock } from '../ports/clock.ts';
import { ACCESS_TOKEN_MAX_LENGTH, TOKEN_TYPE } from './access-token.ts';
import { type AccessTokenSubject, claimsOf, type TokenIdentity } from './issue-access-token.ts';
import { compactJwsLength } from './sign-compact-jws.ts';

/**
 * Whether an access token of this content has at most {@link ACCESS_TOKEN_MAX_LENGTH} characters, by whichever of the
 * keys it is signed. Longer ones would be refused unread, so ask before anything is stored.
 */
export type AccessTokenFits = (subject: AccessTokenSubject) => boolean;

/** As long as any `jti`. */
const ANY_TOKEN_ID = '00000000-0000-0000-0000-000000000000';

export function createAccessTokenFits(
  keys: Pick<SigningKeys, 'signingKey' | 'maxSignatureBytes'>,
  identity: TokenIdentity,
  clock: Clock,
): AccessTokenFits {
  return (subject) => {
    // A lifetime changes no number of digits.
    const life = { nowMs: clock.nowMs(), lifetimeSeconds: 0 };
    const claims = claimsOf(subject, identity, { tokenId: ANY_TOKEN_ID, ...life });
    const length = compactJwsLength(claims, TOKEN_TYPE, {
      ...keys.signingKey(),
      signatureBytes: keys.maxSignatureBytes,
    });
    return length <= ACCESS_TOKEN_MAX_LENGTH;
  };
}

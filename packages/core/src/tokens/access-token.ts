import { randomUUID } from 'node:crypto';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import {
  JOSEAlgNotAllowed,
  JOSEError,
  JWSSignatureVerificationFailed,
  JWTExpired,
} from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import type { Clock } from '../ports/clock.ts';
import {
  fromClaims,
  REQUIRED_CLAIMS,
  type TokenAuthority,
  toClaims,
} from './access-token-claims.ts';
import type { AccessTokenInfo } from './access-token-info.ts';
import { signCompactJws } from './sign-compact-jws.ts';
import type { VerificationKey } from './signing-key.ts';
import type { SigningKeys } from './signing-keys.ts';

/** RFC 9068 2.1: tells an access token from any other JWT that the same keys may sign. */
const TOKEN_TYPE = 'at+jwt';

/** Longer tokens are refused unread. Node takes 16 KiB of headers in all. */
export const ACCESS_TOKEN_MAX_LENGTH = 8192;

/** How far the clock of the process that issued a token may be ahead of ours, seconds. */
const CLOCK_TOLERANCE_SECONDS = 5;

const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Everything that a header of ours says. Whatever else there is (`jku`, `jwk`, `crit` ...) is not ours. */
const HEADER_PARAMETERS = new Set(['alg', 'kid', 'typ']);

export type AccessTokenOutcome =
  | { readonly outcome: 'valid'; readonly info: AccessTokenInfo; readonly kid: string }
  /** For logs: the client is told the same, whatever the reason. */
  | { readonly outcome: 'invalid'; readonly reason: InvalidTokenReason };

type InvalidTokenReason =
  | 'malformed'
  | 'foreign_header'
  | 'unknown_key'
  | 'bad_signature'
  | 'bad_claims'
  | 'not_yet_valid'
  | 'expired';

export interface AccessTokenExpectations extends TokenAuthority {
  readonly keys: SigningKeys;
  readonly clock: Clock;
}

/** What the login decided, and the token says on its behalf. */
export type AccessTokenSubject = Omit<
  AccessTokenInfo,
  'clientId' | 'tokenId' | 'issuedAtMs' | 'expiresAtMs'
>;

interface AccessTokenLife {
  readonly nowMs: number;
  readonly lifetimeSeconds: number;
}

/**
 * Signs an access token (RFC 9068) with the key that signs now, under a new `jti`.
 *
 * @throws RangeError where the token would exceed {@link ACCESS_TOKEN_MAX_LENGTH}, so that nobody is
 * handed a token that is then refused: the user has too many accounts.
 */
export type IssueAccessToken = (subject: AccessTokenSubject, life: AccessTokenLife) => string;

export interface TokenIdentity extends TokenAuthority {
  /** `client_id`, which RFC 9068 demands and a first-party login has no other use for. */
  readonly clientId: string;
}

export function createIssueAccessToken(
  keys: SigningKeys,
  identity: TokenIdentity,
): IssueAccessToken {
  return (subject, { nowMs, lifetimeSeconds }) => {
    const info: AccessTokenInfo = {
      userId: subject.userId,
      scopes: subject.scopes,
      accounts: subject.accounts,
      accountId: subject.accountId,
      sessionId: subject.sessionId,
      authTimeMs: subject.authTimeMs,
      amr: subject.amr,
      clientId: identity.clientId,
      tokenId: randomUUID(),
      issuedAtMs: nowMs,
      expiresAtMs: nowMs + lifetimeSeconds * 1000,
    };
    const token = signCompactJws(toClaims(info, identity), TOKEN_TYPE, keys.signingKey());
    if (token.length > ACCESS_TOKEN_MAX_LENGTH) {
      throw new RangeError(
        `An access token of ${token.length} characters exceeds ${ACCESS_TOKEN_MAX_LENGTH}: the user has ${info.accounts.length} accounts`,
      );
    }
    return token;
  };
}

/**
 * Verifies an access token: shape, header, key, signature, claims, time. Asks no store, so it knows
 * nothing of revocation. Rejects only for a fault of ours, never for what a token holds.
 *
 * Security: the header chooses among our own keys and nothing more; the algorithm is the key's (RFC 8725
 * 3.1), whatever the header says.
 */
export async function verifyAccessToken(
  token: string,
  expected: AccessTokenExpectations,
): Promise<AccessTokenOutcome> {
  if (!isCompactJws(token)) return invalid('malformed');
  const kid = kidOf(token);
  if (kid === undefined) return invalid('foreign_header');
  const key = expected.keys.verificationKey(kid);
  if (key === undefined) return invalid('unknown_key');

  const nowMs = expected.clock.nowMs();
  try {
    const { payload } = await jwtVerify(token, key.publicKey, verifyOptions(key, expected, nowMs));
    const info = fromClaims(payload);
    if (info === undefined) return invalid('bad_claims');
    return untimely(info, nowMs) ?? { outcome: 'valid', info, kid: key.kid };
  } catch (error) {
    return invalid(reasonOf(error));
  }
}

/**
 * Whether the token is of this time: the one rule for a first look and for every later one.
 *
 * Expiry: to the millisecond, as the token says. The tolerance is for `iat` only, where a clock that is
 * ahead would have a fresh token refused.
 */
export function untimely(
  info: AccessTokenInfo,
  nowMs: number,
): Extract<AccessTokenOutcome, { outcome: 'invalid' }> | undefined {
  if (nowMs >= info.expiresAtMs) return invalid('expired');
  if (nowMs < info.issuedAtMs - CLOCK_TOLERANCE_SECONDS * 1000) return invalid('not_yet_valid');
  return undefined;
}

function isCompactJws(token: string): boolean {
  if (token.length > ACCESS_TOKEN_MAX_LENGTH || !COMPACT_JWS.test(token)) return false;
  // The last character of a signature has bits that no decoder reads. A token that was changed there is
  // a changed token all the same.
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** The `kid`, where the header holds nothing but what we put there. */
function kidOf(token: string): string | undefined {
  try {
    const header = decodeProtectedHeader(token);
    const ours = Object.keys(header).every((parameter) => HEADER_PARAMETERS.has(parameter));
    return ours && typeof header.kid === 'string' ? header.kid : undefined;
  } catch {
    return undefined;
  }
}

function verifyOptions(key: VerificationKey, expected: AccessTokenExpectations, nowMs: number) {
  return {
    algorithms: [key.alg],
    typ: TOKEN_TYPE,
    issuer: expected.issuer,
    audience: expected.audience,
    requiredClaims: [...REQUIRED_CLAIMS],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(nowMs),
  };
}

function reasonOf(error: unknown): InvalidTokenReason {
  if (error instanceof JWTExpired) return 'expired';
  if (error instanceof JWSSignatureVerificationFailed) return 'bad_signature';
  if (error instanceof JOSEAlgNotAllowed) return 'foreign_header';
  if (error instanceof JOSEError) return 'bad_claims';
  throw error;
}

function invalid(reason: InvalidTokenReason): Extract<AccessTokenOutcome, { outcome: 'invalid' }> {
  return { outcome: 'invalid', reason };
}

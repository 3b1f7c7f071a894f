import { decodeProtectedHeader } from 'jose/decode/protected_header';
import {
  JOSEAlgNotAllowed,
  JOSEError,
  JWSSignatureVerificationFailed,
  JWTExpired,
} from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import type { VerificationKey } from '../keys/signing-key.ts';
import {
  ACCESS_TOKEN_MAX_LENGTH,
  type AccessTokenExpectations,
  type AccessTokenOutcome,
  CLOCK_TOLERANCE_SECONDS,
  type InvalidTokenReason,
  invalid,
  TOKEN_TYPE,
  untimely,
} from './access-token.ts';
import { fromClaims, REQUIRED_CLAIMS } from './access-token-claims.ts';

const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** All parameters of our headers. A token with any other (`jku`, `jwk`, `crit` ...) is not ours. */
const HEADER_PARAMETERS = new Set(['alg', 'kid', 'typ']);

/**
 * Verifies an access token: shape, header, key, signature, claims, time. Asks no store, so it does not know about
 * revocation. Rejects only for a fault of ours, never because of what a token contains.
 *
 * Security: the header only chooses among our own keys; the algorithm is the key's (RFC 8725 3.1), whatever the header
 * says.
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

function isCompactJws(token: string): boolean {
  if (token.length > ACCESS_TOKEN_MAX_LENGTH || !COMPACT_JWS.test(token)) return false;
  // The last character of a signature has bits that decoders ignore. A token that was changed there is refused too.
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** The `kid`, if the header has no other parameters than ours. */
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

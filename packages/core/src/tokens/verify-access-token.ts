import type { VerificationKey } from '../keys/signing-key.ts';
import { type Jose, jose } from '../loading/dependencies.ts';
import {
  ACCESS_TOKEN_MAX_LENGTH,
  type AccessTokenExpectations,
  type AccessTokenOutcome,
  type InvalidTokenReason,
  invalid,
  TOKEN_TYPE,
  untimely,
} from './access-token.ts';
import { fromClaims, REQUIRED_CLAIMS } from './access-token-claims.ts';

const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** All parameters of our headers. A token with any other (`jku`, `jwk`, `crit` ...) is not ours. */
const HEADER_PARAMETERS = new Set(['alg', 'kid', 'typ']);

/** The reasons for claims, and for `typ`, whose value is not the expected one. */
const MISMATCHES: Readonly<Record<string, InvalidTokenReason>> = {
  typ: 'wrong_type',
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  nbf: 'not_yet_valid',
};

/**
 * Verifies an access token: shape, header, key, signature, claims, time. Asks no store, so it does not know about
 * revocation. Rejects only for a fault of ours, never because of what a token contains.
 *
 * Security: the header only chooses among our own keys; the algorithm is that of the key, never that of the header
 * (RFC 8725 3.1).
 */
export async function verifyAccessToken(
  token: string,
  expected: AccessTokenExpectations,
): Promise<AccessTokenOutcome> {
  if (!isCompactJws(token)) return invalid('malformed');
  const { decodeJwt, decodeProtectedHeader, errors, jwtVerify } = await jose.load();
  const header = headerOf(token, decodeProtectedHeader);
  if (header === undefined) return invalid('foreign_header');
  const key = expected.keys.verificationKey(header.kid);
  if (key === undefined) {
    const isOurs = header.typ === TOKEN_TYPE && issuerOf(token, decodeJwt) === expected.issuer;
    return invalid(isOurs ? 'unknown_key' : 'foreign_key');
  }

  const nowMs = expected.clock.nowMs();
  try {
    const { payload } = await jwtVerify(token, key.publicKey, verifyOptions(key, expected, nowMs));
    const info = fromClaims(payload, expected.scopeTable, expected.accountIdKind);
    if (info === undefined) return invalid('bad_claims');
    return untimely(info, nowMs, expected.tolerance) ?? { outcome: 'valid', info, kid: key.kid };
  } catch (error) {
    return invalid(reasonOf(error, errors));
  }
}

function isCompactJws(token: string): boolean {
  if (token.length > ACCESS_TOKEN_MAX_LENGTH || !COMPACT_JWS.test(token)) return false;
  // The last character of a signature has bits that decoders ignore. A token that was changed there is rejected too.
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** The header, if it has no other parameters than ours. */
function headerOf(
  token: string,
  decodeProtectedHeader: Jose['decodeProtectedHeader'],
): { readonly kid: string; readonly typ: unknown } | undefined {
  try {
    const { kid, typ, ...others } = decodeProtectedHeader(token);
    const isOurs = Object.keys(others).every((parameter) => HEADER_PARAMETERS.has(parameter));
    return isOurs && typeof kid === 'string' ? { kid, typ } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The unverified issuer, only for the reason: our own issuer under an unknown key may be another instance of the app.
 */
function issuerOf(token: string, decodeJwt: Jose['decodeJwt']): string | undefined {
  try {
    return decodeJwt(token).iss;
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
    // For `nbf`. It may be more than what `exp` is allowed, which `untimely` checks.
    clockTolerance: expected.tolerance.startSeconds,
    currentDate: new Date(nowMs),
  };
}

function reasonOf(error: unknown, errors: Jose['errors']): InvalidTokenReason {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'bad_signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'foreign_header';
  if (error instanceof errors.JWTClaimValidationFailed && error.reason === 'check_failed') {
    return MISMATCHES[error.claim] ?? 'bad_claims';
  }
  if (error instanceof errors.JOSEError) return 'bad_claims';
  throw error;
}

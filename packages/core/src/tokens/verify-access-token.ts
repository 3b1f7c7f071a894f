import type { JWTPayload } from 'jose';
import { type AccountIdKind, isAccountId } from '../account-id.ts';
import type { VerificationKey } from '../keys/signing-key.ts';
import { type Jose, jose } from '../loading/dependencies.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import {
  ACCESS_TOKEN_MAX_LENGTH,
  type AccessTokenExpectations,
  type AccessTokenOutcome,
  type InvalidTokenReason,
  invalid,
  rejectByTime,
  TOKEN_TYPE,
} from './access-token.ts';
import type { AccessTokenInfo } from './access-token-info.ts';

/** A token that lacks any of these is rejected, even with a valid signature (RFC 9068 2.2, and Latchhook's claims). */
export const REQUIRED_CLAIMS = [
  'iss',
  'aud',
  'sub',
  'exp',
  'iat',
  'jti',
  'client_id',
  'scope',
  'sid',
  'accounts',
  'auth_time',
  'amr',
] as const;

const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** All header parameters of access tokens. A token with another parameter (`jku`, `jwk`, `crit` ...) is foreign. */
const HEADER_PARAMETERS = new Set(['alg', 'kid', 'typ']);

/** The reasons for claims, and for `typ`, with an unexpected value. */
const MISMATCHES: Readonly<Record<string, InvalidTokenReason>> = {
  typ: 'wrong_type',
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  nbf: 'not_yet_valid',
};

/**
 * Verifies an access token: shape, header, key, signature, claims, time. Asks no store, so it does not know about
 * revocation. The promise rejects only for an internal fault, never because of the content of a token.
 *
 * Security: the header only chooses among the app's keys; the algorithm is that of the key, never that of the header
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
    // A token of the app's issuer under an unknown key may be of another instance of the app.
    const namesOurIssuer =
      header.typ === TOKEN_TYPE && issuerOf(token, decodeJwt) === expected.issuer;
    return invalid(namesOurIssuer ? 'unknown_key' : 'foreign_key');
  }

  const nowMs = expected.clock.nowMs();
  try {
    const { payload } = await jwtVerify(token, key.publicKey, verifyOptions(key, expected, nowMs));
    const info = fromClaims(payload, expected.scopeTable, expected.accountIdKind);
    if (info === undefined) return invalid('bad_claims');
    return (
      rejectByTime(info, nowMs, expected.tolerance) ?? { outcome: 'valid', info, kid: key.kid }
    );
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

/** The header, if it has no other parameters than an access token's. */
function headerOf(
  token: string,
  decodeProtectedHeader: Jose['decodeProtectedHeader'],
): { readonly kid: string; readonly typ: unknown } | undefined {
  try {
    const header = decodeProtectedHeader(token);
    const isKnown = Object.keys(header).every((parameter) => HEADER_PARAMETERS.has(parameter));
    const { kid, typ } = header;
    return isKnown && typeof kid === 'string' ? { kid, typ } : undefined;
  } catch {
    return undefined;
  }
}

/** The issuer, unverified. */
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
    // For `nbf`. The tolerance of `exp` may be smaller, and `rejectByTime` checks it.
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

/**
 * Reads claims; `undefined` if a claim is missing or of the wrong type. Scopes that are not in the table are left out,
 * because they can grant nothing.
 *
 * Security: the result is frozen, because all requests with the same token share it.
 */
function fromClaims(
  payload: JWTPayload,
  scopeTable: ScopeTable,
  accountIdKind: AccountIdKind,
): AccessTokenInfo | undefined {
  const isAccount = (value: unknown) => isAccountId(accountIdKind, value);

  // jose has checked `iss` and `aud`. What is left besides these are the claims of the host.
  const {
    iss,
    aud,
    sub,
    jti,
    iat,
    exp,
    client_id,
    scope,
    sid,
    accounts,
    account_id,
    auth_time,
    amr,
    ...claims
  } = payload as Readonly<Record<string, unknown>>;
  if (!isText(sub) || !isText(jti) || !isText(client_id) || !isText(sid)) return undefined;
  if (!isInteger(iat) || !isInteger(exp) || !isInteger(auth_time)) return undefined;
  if (!isArrayOf(accounts, isAccount) || !isArrayOf(amr, isText)) return undefined;
  if (account_id !== undefined && !isAccount(account_id)) return undefined;
  if (!isText(scope)) return undefined;
  const scopes = scopeTable.canonical(scope.split(' '));
  if (scopes.length === 0) return undefined;
  return Object.freeze({
    credential: 'access_token',
    userId: sub,
    scopes: Object.freeze(scopes),
    accounts: Object.freeze(accounts),
    accountId: account_id ?? null,
    sessionId: sid,
    clientId: client_id,
    tokenId: jti,
    issuedAtMs: iat * 1000,
    expiresAtMs: exp * 1000,
    authTimeMs: auth_time * 1000,
    amr: Object.freeze(amr),
    claims: deepFreeze(claims),
  });
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isArrayOf<T>(
  value: unknown,
  isMember: (member: unknown) => member is T,
): value is readonly T[] {
  return Array.isArray(value) && value.every(isMember);
}

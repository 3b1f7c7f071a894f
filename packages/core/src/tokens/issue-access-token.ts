import { randomUUID, sign } from 'node:crypto';
import type { SigningAlgorithm, SigningKey } from '../keys/signing-key.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { ACCESS_TOKEN_MAX_LENGTH, TOKEN_TYPE, type TokenAuthority } from './access-token.ts';
import type { AccessTokenInfo } from './access-token-info.ts';
import { NO_HOST_CLAIMS } from './host-claims.ts';

/** The content of an access token, except for what each issuance adds. */
export type AccessTokenSubject = Omit<
  AccessTokenInfo,
  'credential' | 'clientId' | 'tokenId' | 'issuedAtMs' | 'expiresAtMs'
>;

interface AccessTokenLife {
  readonly nowMs: number;
  readonly lifetimeSeconds: number;
}

/**
 * Signs an access token (RFC 9068) with the current signing key, under a new `jti`.
 *
 * @throws {RangeError} if the token would exceed {@link ACCESS_TOKEN_MAX_LENGTH}, and so be rejected at its first use:
 * the caller must ask `TokenFits` first
 */
export type IssueAccessToken = (subject: AccessTokenSubject, life: AccessTokenLife) => string;

/** The issuer, audience and client of all tokens. */
export interface TokenIdentity extends TokenAuthority {
  /** `client_id`: RFC 9068 demands it; a first-party login has no other use for it. */
  readonly clientId: string;
}

export function createIssueAccessToken(
  keys: SigningKeys,
  identity: TokenIdentity,
): IssueAccessToken {
  return (subject, { nowMs, lifetimeSeconds }) => {
    const claims = claimsOf(subject, identity, {
      tokenId: randomUUID(),
      nowMs,
      lifetimeSeconds,
    });
    const token = signCompactJws(claims, keys.signingKey());
    if (token.length > ACCESS_TOKEN_MAX_LENGTH) {
      throw new RangeError(
        `An access token of ${token.length} characters exceeds ${ACCESS_TOKEN_MAX_LENGTH}: the user has ${subject.accounts.length} accounts`,
      );
    }
    return token;
  };
}

/** The claims of a token for `subject`. Times are cut to whole seconds. */
export function claimsOf(
  subject: AccessTokenSubject,
  identity: TokenIdentity,
  { tokenId, nowMs, lifetimeSeconds }: AccessTokenLife & { readonly tokenId: string },
): object {
  const claims = {
    iss: identity.issuer,
    aud: identity.audience,
    sub: subject.userId,
    exp: toSeconds(nowMs + lifetimeSeconds * 1000),
    iat: toSeconds(nowMs),
    jti: tokenId,
    client_id: identity.clientId,
    scope: subject.scopes.join(' '),
    sid: subject.sessionId,
    accounts: subject.accounts,
    // JSON leaves out what is undefined.
    account_id: subject.accountId ?? undefined,
    auth_time: toSeconds(subject.authTimeMs),
    amr: subject.amr,
  };
  // Serializing the result of a spread takes longer. The host's claims come first, so that they overwrite nothing.
  return subject.claims === NO_HOST_CLAIMS ? claims : { ...subject.claims, ...claims };
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** Ed25519 hashes by itself (RFC 8037 3.1). */
const DIGEST: Readonly<Record<SigningAlgorithm, string | null>> = {
  ES256: 'sha256',
  EdDSA: null,
  RS256: 'sha256',
};

/**
 * Signs claims as a compact JWS (RFC 7515 7.1), synchronously.
 *
 * Not by jose, which verifies tokens: it signs by WebCrypto, whose calls queue in libuv's thread pool after password
 * hashes, and cost twice as much as the signature (docs/adr/0011).
 */
export function signCompactJws(claims: object, signingKey: SigningKey): string {
  const { alg, privateKey } = signingKey;
  const input = `${headerOf(signingKey)}.${encode(claims)}`;
  // RFC 7518 3.4: r and s concatenated, not in DER. RSA and Ed25519 ignore the option.
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign(DIGEST[alg], Buffer.from(input), key).toString('base64url')}`;
}

/**
 * The length of the result of {@link signCompactJws}, without signing the claims.
 *
 * @param signatureBytes - the length of the signature
 */
export function compactJwsLength(
  claims: object,
  {
    signingKey,
    signatureBytes,
  }: { readonly signingKey: SigningKey; readonly signatureBytes: number },
): number {
  const claimsBytes = Buffer.byteLength(JSON.stringify(claims));
  const header = headerOf(signingKey);
  return `${header}..`.length + encodedLength(claimsBytes) + encodedLength(signatureBytes);
}

/** The length of base64url, without padding. */
function encodedLength(bytes: number): number {
  return Math.ceil((bytes * 4) / 3);
}

/** The encoded header of each key: all of its tokens have the same header. */
const headers = new WeakMap<SigningKey, string>();

function headerOf(signingKey: SigningKey): string {
  const cached = headers.get(signingKey);
  if (cached !== undefined) return cached;
  const { alg, kid } = signingKey;
  const header = encode({ alg, kid, typ: TOKEN_TYPE });
  headers.set(signingKey, header);
  return header;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

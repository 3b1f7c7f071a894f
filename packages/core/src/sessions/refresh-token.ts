import type { SecretId, SecretRing } from '../keys/secret-ring.ts';
import { SCOPES, type Scope } from '../scope.ts';
import type { SessionRef } from '../storage/session-store.ts';
import { createSealer } from '../tokens/sealed-token.ts';

const PREFIX = 'lh_rt_';
const SESSION_ID_BYTES = 16;
/** Tokens live for ninety days, so a bit must keep its meaning when scopes are added or removed. */
const SCOPE_BIT: Readonly<Record<Scope, number>> = { user: 1, admin: 2, internal: 4, auth: 8 };
const ACCOUNT_BOUND = 0x80;
/** Session id, generation, scopes and flags, account, time of authentication; the user id follows. */
const FIXED_BYTES = SESSION_ID_BYTES + 4 + 1 + 8 + 6;

/**
 * What a refresh token contains. Besides the id, it carries the session's grant: so the host can be asked, and scopes
 * can be refused, before anything is consumed, and the rotation stays the only storage trip.
 */
export interface RefreshTokenContent extends SessionRef {
  readonly generation: number;
  readonly scopes: readonly Scope[];
  readonly accountId: number | null;
  readonly authTimeMs: number;
}

export interface RefreshTokens {
  /** Makes the token of a generation: always the same string for the same content and secret. */
  seal(content: RefreshTokenContent, secretId?: SecretId): string;
  /** `null` for whatever we did not seal. Asks no storage. */
  open(
    token: string,
  ): { readonly content: RefreshTokenContent; readonly secretId: SecretId } | null;
}

/**
 * A successor is sealed with its predecessor's secret, so that all processes answer the same rotation with the same
 * bytes, even during a rollout of new secrets.
 */
export function createRefreshTokens(ring: SecretRing): RefreshTokens {
  const sealer = createSealer(ring, PREFIX);
  return {
    seal: (content, secretId) => sealer.seal(encode(content), secretId),
    open(token) {
      const opened = sealer.open(token);
      if (opened === null || opened.payload.length <= FIXED_BYTES) return null;
      return { content: decode(opened.payload), secretId: opened.secretId };
    },
  };
}

function encode(content: RefreshTokenContent): Buffer {
  const userId = Buffer.from(content.userId);
  const bytes = Buffer.alloc(FIXED_BYTES + userId.length);
  let at = bytes.write(content.sessionId, 0, SESSION_ID_BYTES, 'base64url');
  at = bytes.writeUInt32BE(content.generation, at);
  at = bytes.writeUInt8(
    scopeBits(content.scopes) | (content.accountId === null ? 0 : ACCOUNT_BOUND),
    at,
  );
  at = bytes.writeBigInt64BE(BigInt(content.accountId ?? 0), at);
  at = bytes.writeUIntBE(content.authTimeMs, at, 6);
  userId.copy(bytes, at);
  return bytes;
}

function decode(bytes: Buffer): RefreshTokenContent {
  const flags = bytes.readUInt8(SESSION_ID_BYTES + 4);
  return {
    sessionId: bytes.toString('base64url', 0, SESSION_ID_BYTES),
    generation: bytes.readUInt32BE(SESSION_ID_BYTES),
    scopes: SCOPES.filter((scope) => (flags & SCOPE_BIT[scope]) !== 0),
    accountId: flags & ACCOUNT_BOUND ? Number(bytes.readBigInt64BE(SESSION_ID_BYTES + 5)) : null,
    authTimeMs: bytes.readUIntBE(SESSION_ID_BYTES + 13, 6),
    userId: bytes.toString('utf8', FIXED_BYTES),
  };
}

function scopeBits(scopes: readonly Scope[]): number {
  return scopes.reduce((bits, scope) => bits | SCOPE_BIT[scope], 0);
}

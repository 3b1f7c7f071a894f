import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretId, SecretRing } from '../keys/secret-ring.ts';

const VERSION = 1;
/** The version and the id of the secret. */
const HEADER_BYTES = 5;
/** RFC 6749 10.10: the chance of a guess must be at most 2^-128, and should be at most 2^-160. */
const MAC_BYTES = 20;
/** Enough for a refresh token with the longest user id and the most scopes: it has some 1,800 characters. */
const MAX_TOKEN_CHARS = 2048;

/** The payload of a token, and the secret that signed it. */
export interface VerifiedToken {
  readonly payload: Buffer;
  readonly secretId: SecretId;
}

/**
 * Tokens that carry their own proof: `prefix` and base64url of version, secret id, payload and a 160-bit MAC. Forgeries
 * are detected without a storage call, and a store need not keep anything that could be used as a token. The payload is
 * not encrypted: anyone who holds the token can read it.
 */
export interface TokenSigner {
  /** @param secretId - the secret to sign with; default: the newest. */
  sign(payload: Buffer, secretId?: SecretId): string;
  /** The payload, or `null` for anything that this ring did not sign for this purpose. */
  verify(token: string): VerifiedToken | null;
}

/** @param prefix - shows people and secret scanners what the token is; it also derives a separate key */
export function createTokenSigner(ring: SecretRing, prefix: string): TokenSigner {
  const keys = new Map(ring.ids.map((id) => [id, ring.keyFor(id, prefix)]));
  return {
    sign(payload, secretId = ring.newest) {
      const key = keys.get(secretId);
      if (key === undefined) throw new Error('the secret that signed this token left the ring');
      const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length + MAC_BYTES);
      bytes.writeUInt8(VERSION, 0);
      bytes.writeUInt32BE(secretId, 1);
      payload.copy(bytes, HEADER_BYTES);
      const signedLength = HEADER_BYTES + payload.length;
      mac(key, bytes.subarray(0, signedLength)).copy(bytes, signedLength, 0, MAC_BYTES);
      return prefix + bytes.toString('base64url');
    },

    verify(token) {
      if (token.length > MAX_TOKEN_CHARS || !token.startsWith(prefix)) return null;
      const text = token.slice(prefix.length);
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length < HEADER_BYTES + MAC_BYTES || bytes.readUInt8(0) !== VERSION) return null;
      // Node's decoder skips characters that are not base64url, and drops spare bits; only one spelling is accepted.
      if (bytes.toString('base64url') !== text) return null;
      const secretId = bytes.readUInt32BE(1);
      const key = keys.get(secretId);
      if (key === undefined) return null;
      const signedLength = bytes.length - MAC_BYTES;
      const expectedMac = mac(key, bytes.subarray(0, signedLength)).subarray(0, MAC_BYTES);
      if (!timingSafeEqual(expectedMac, bytes.subarray(signedLength))) return null;
      return { payload: bytes.subarray(HEADER_BYTES, signedLength), secretId };
    },
  };
}

function mac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretRing } from './secret-ring.ts';

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
/** The version and the id of the key. */
const HEADER_BYTES = 5;
/** A random nonce (NIST SP 800-38D 8.2.2), which is safe for 2^32 secrets per key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts secrets at rest, each for one owner. */
export interface SecretCipher {
  /** @param owner - the owner's id, which must be unique within the purpose of the cipher */
  encrypt(owner: string, secret: Uint8Array): string;
  /** `null` for anything that was not encrypted for this owner by a key of the ring. */
  decrypt(owner: string, encrypted: string): Uint8Array | null;
  /** Whether the newest key of the ring encrypted the secret, by the header of the text. */
  isCurrent(encrypted: string): boolean;
}

/**
 * Encrypts by AES-256-GCM under the newest key of a ring; decrypts by any key of the ring. The text is base64url of
 * version, key id, nonce, ciphertext and tag.
 *
 * Security: the owner is authenticated data, so that somebody who can write to the store cannot give one owner the
 * secret of another. Each purpose has its own keys, so that a secret of one purpose cannot be decrypted for another.
 */
export function createSecretCipher(ring: SecretRing, purpose: string): SecretCipher {
  return {
    encrypt(owner, secret) {
      const key = ring.keyFor(ring.newest, purpose);
      if (key === undefined) throw new Error('the newest key is not in its own ring');
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt8(VERSION, 0);
      header.writeUInt32BE(ring.newest, 1);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(authenticatedData(header, owner));
      const encrypted = [header, nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(encrypted).toString('base64url');
    },

    decrypt(owner, encrypted) {
      const bytes = Buffer.from(encrypted, 'base64url');
      if (bytes.length < HEADER_BYTES + NONCE_BYTES + TAG_BYTES) return null;
      const header = bytes.subarray(0, HEADER_BYTES);
      if (header.readUInt8(0) !== VERSION) return null;
      const key = ring.keyFor(header.readUInt32BE(1), purpose);
      if (key === undefined) return null;
      const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
      const ciphertext = bytes.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(authenticatedData(header, owner))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
      } catch {
        // The error of `final` says only that the tag does not match.
        return null;
      }
    },

    isCurrent(encrypted) {
      const bytes = Buffer.from(encrypted, 'base64url');
      return bytes.length >= HEADER_BYTES && bytes.readUInt32BE(1) === ring.newest;
    },
  };
}

function authenticatedData(header: Buffer, owner: string): Buffer {
  return Buffer.concat([header, Buffer.from(owner)]);
}

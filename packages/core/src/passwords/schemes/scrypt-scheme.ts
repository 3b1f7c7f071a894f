import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { matchedByHmac } from './matched-by-hmac.ts';
import type { PasswordScheme } from './password-scheme.ts';

/** Caps N * r * p: twice OWASP's strongest setting. Memory is 128 * N * r bytes, so 256 MiB at most. */
const MAX_WORK = 2 ** 21;
const SCRYPT =
  /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,3})\$(?<salt>[A-Za-z0-9+/]{1,128})\$(?<tag>[A-Za-z0-9+/]{22,86})$/;

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/**
 * Hashes of scrypt (RFC 7914) in PHC form, as passlib writes them: `$scrypt$ln=16,r=8,p=1$<salt>$<tag>`.
 * Parameters beyond twice OWASP's strongest (N = 2^17, r = 8, p = 1) make a hash unusable.
 *
 * Security: scrypt begins and ends with PBKDF2-HMAC-SHA-256, for which some passwords are equal. A password that ends
 * in NUL, is longer than 64 bytes or exactly 32 long returns `match`, and the hash is kept.
 */
export function scryptScheme(): PasswordScheme {
  return {
    name: 'scrypt',
    recognises: (hash) => hash.startsWith('$scrypt$'),
    async verify(hash, password) {
      const parsed = parse(hash);
      if (parsed === null) return 'unusable';
      const { N, r, p, salt, tag } = parsed;
      // The memory that OpenSSL computes for the hash: by default it rejects more than 32 MiB.
      const maxmem = 128 * r * (N + p + 2);
      const derivedKey = await deriveKey(password, salt, tag.length, { N, r, p, maxmem });
      return timingSafeEqual(derivedKey, tag) ? matchedByHmac('sha256', password) : 'mismatch';
    },
  };
}

interface StoredScrypt {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

function parse(hash: string): StoredScrypt | null {
  const fields = SCRYPT.exec(hash)?.groups;
  if (fields === undefined) return null;
  const N = 2 ** Number(fields['ln']);
  const r = Number(fields['r']);
  const p = Number(fields['p']);
  if (N < 2 || r < 1 || p < 1 || N * r * p > MAX_WORK) return null;
  return {
    N,
    r,
    p,
    salt: Buffer.from(fields['salt'] ?? '', 'base64'),
    tag: Buffer.from(fields['tag'] ?? '', 'base64'),
  };
}

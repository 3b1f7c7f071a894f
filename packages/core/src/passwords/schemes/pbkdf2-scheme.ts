import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type HmacDigest, matchedByHmac } from './matched-by-hmac.ts';
import type { PasswordScheme } from './password-scheme.ts';

/** Three times today's recommendation of OWASP and Django; one to three seconds. */
const MAX_ITERATIONS = 4_000_000;

/** passlib: `$pbkdf2-sha256$29000$<salt>$<tag>`, and `$pbkdf2$` for SHA-1; base64 with `.` instead of `+`. */
const PASSLIB =
  /^\$pbkdf2(?:-(?<digest>sha256|sha512))?\$(?<i>\d{1,10})\$(?<salt>[A-Za-z0-9./]{1,128})\$(?<tag>[A-Za-z0-9./]{22,86})$/;
/** PHC: `$pbkdf2-sha256$i=600000,l=32$<salt>$<tag>`. */
const PHC =
  /^\$pbkdf2-(?<digest>sha1|sha256|sha512)\$i=(?<i>\d{1,10})(?:,l=(?<l>\d{1,3}))?\$(?<salt>[A-Za-z0-9+/]{1,128})\$(?<tag>[A-Za-z0-9+/]{22,86})$/;
/** Django: `pbkdf2_sha256$870000$<salt, not encoded>$<tag, padded>`. */
const DJANGO =
  /^pbkdf2_(?<digest>sha1|sha256)\$(?<i>\d{1,10})\$(?<salt>[^$]{1,128})\$(?<tag>[A-Za-z0-9+/]{22,86}={0,2})$/;

const deriveKey = promisify(pbkdf2);

/**
 * Hashes of PBKDF2 (RFC 8018) with HMAC-SHA-1, SHA-256 or SHA-512, as passlib, PHC and Django write them.
 * More than 4,000,000 iterations make a hash unusable.
 *
 * Security: for HMAC, some passwords are equal. A password that ends in NUL, is longer than a block of the hash (64
 * bytes; 128 of SHA-512) or exactly as long as its digest (20, 32, 64 bytes) returns `match`, and the hash is kept.
 */
export function pbkdf2Scheme(): PasswordScheme {
  return {
    name: 'pbkdf2',
    recognises: (hash) => /^(?:\$pbkdf2[-$]|pbkdf2_sha)/.test(hash),
    async verify(hash, password) {
      const parsed = parse(hash);
      if (parsed === null) return 'unusable';
      const { digest, iterations, salt, tag } = parsed;
      const derivedKey = await deriveKey(password, salt, iterations, tag.length, digest);
      return timingSafeEqual(derivedKey, tag) ? matchedByHmac(digest, password) : 'mismatch';
    },
  };
}

interface StoredPbkdf2 {
  readonly digest: HmacDigest;
  readonly iterations: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

function parse(hash: string): StoredPbkdf2 | null {
  const passlib = PASSLIB.exec(hash)?.groups;
  if (passlib !== undefined) return withinLimits(passlib, fromBase64(passlib['salt']));
  const phc = PHC.exec(hash)?.groups;
  if (phc !== undefined) return withinLimits(phc, fromBase64(phc['salt']));
  const django = DJANGO.exec(hash)?.groups;
  if (django !== undefined) return withinLimits(django, Buffer.from(django['salt'] ?? ''));
  return null;
}

function withinLimits(
  fields: Record<string, string | undefined>,
  salt: Buffer,
): StoredPbkdf2 | null {
  const iterations = Number(fields['i']);
  if (iterations < 1 || iterations > MAX_ITERATIONS) return null;
  const tag = fromBase64(fields['tag']);
  if (fields['l'] !== undefined && Number(fields['l']) !== tag.length) return null;
  return { digest: digestOf(fields['digest']), iterations, salt, tag };
}

function digestOf(name: string | undefined): HmacDigest {
  return name === 'sha256' || name === 'sha512' ? name : 'sha1';
}

/** Decodes passlib's alphabet too: `.` occurs in no other. */
function fromBase64(text = ''): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64');
}

import * as crypto from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'lh_pat_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 178 bits. */
const RANDOM_CHARS = 30;
/** Enough for the largest CRC-32. */
const CHECKSUM_CHARS = 6;
/** How much of the random part is shown: enough for the owner to distinguish a few tokens, useless to anybody else. */
const SHOWN_CHARS = 4;

/**
 * The form of personal access tokens, for scanners that search code and logs for secrets. A find can be verified
 * offline: its last six characters are the CRC-32 (IEEE) of the thirty before them, in base 62 with the digits 0-9,
 * A-Z, a-z, padded with zeros on the left.
 */
export const PERSONAL_ACCESS_TOKEN_PATTERN: RegExp = /\blh_pat_[0-9A-Za-z]{36}\b/;

const WHOLE_TOKEN = /^lh_pat_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** A fresh personal access token. */
export function newPersonalAccessToken(): string {
  // `randomInt`, because the remainder of a random byte would favour some digits.
  const random = Array.from({ length: RANDOM_CHARS }, () =>
    DIGITS.charAt(crypto.randomInt(DIGITS.length)),
  ).join('');
  return `${PREFIX}${random}${checksumOf(random)}`;
}

/** Whether a bearer token claims to be a personal access token: no token of another kind has this prefix. */
export function claimsToBePersonal(token: string): boolean {
  return token.startsWith(PREFIX);
}

/**
 * Whether Latchhook may have made the token. The checksum does not prevent forgery: it saves storage calls for garbage,
 * and for false finds of scanners.
 */
export function isPersonalAccessToken(token: string): boolean {
  const [, random = '', checksum] = WHOLE_TOKEN.exec(token) ?? [];
  return checksum === checksumOf(random);
}

/**
 * The hash by which stores find a token.
 *
 * Security: a plain hash is enough for a secret that nobody can guess (ASVS 6.5.2 asks for 112 bits).
 */
export function hashPersonalAccessToken(token: string): string {
  return crypto.hash('sha256', token, 'base64url');
}

/** The beginning of the token, by which its owner recognises it. */
export function shownPrefix(token: string): string {
  return token.slice(0, PREFIX.length + SHOWN_CHARS);
}

function checksumOf(random: string): string {
  let remaining = crc32(random);
  let digits = '';
  for (let i = 0; i < CHECKSUM_CHARS; i += 1) {
    digits = DIGITS.charAt(remaining % DIGITS.length) + digits;
    remaining = Math.floor(remaining / DIGITS.length);
  }
  return digits;
}

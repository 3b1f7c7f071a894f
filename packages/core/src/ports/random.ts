import { randomBytes } from 'node:crypto';

/** A fresh identifier of 128 random bits, base64url. Synchronous, so that it never waits behind a hash. */
export function randomId(): string {
  return randomBytes(16).toString('base64url');
}

import { randomBytes } from 'node:crypto';

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** The bytes of a new signing secret. */
export function newSigningSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/** A signing secret as it is shown once, to set up the receiver: `whsec_` and base64 (Standard Webhooks). */
export function signingSecretText(secret: Uint8Array): string {
  return PREFIX + Buffer.from(secret).toString('base64');
}

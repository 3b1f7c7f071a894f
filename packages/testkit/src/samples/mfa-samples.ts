import { createHash } from 'node:crypto';
import type { ConfirmEnrolment, NewEnrolment } from '@latchhook/core/storage';
import { MINUTE_MS } from './login-samples.ts';

export const ENROLMENT_TTL_MS: number = 10 * MINUTE_MS;

/** The session in which Ada enrols, unless a test case names another. */
export const ENROLLING: string = 's1';

export function newEnrolment(enrolmentId: string, sessionId: string = ENROLLING): NewEnrolment {
  const encryptedSecret = encryptedSecretOf(enrolmentId);
  return { sessionId, enrolmentId, encryptedSecret, ttlMs: ENROLMENT_TTL_MS };
}

export function encryptedSecretOf(enrolmentId: string): string {
  return `encrypted "secret" of ${enrolmentId}`;
}

/** Hashes of `count` recovery codes, different for each `set`. */
export function codeHashes(set: string, count = 10): readonly string[] {
  return Array.from({ length: count }, (_, nth) => codeHash(set, nth));
}

export function codeHash(set: string, nth: number): string {
  return createHash('sha256').update(`code ${nth} of ${set}`).digest('base64url');
}

/** A confirmation with the recovery codes of a set, which is named like the enrolment by default. */
export function newConfirmation(
  enrolmentId: string,
  codes: string = enrolmentId,
  sessionId: string = ENROLLING,
): ConfirmEnrolment {
  return { sessionId, enrolmentId, recoveryCodeHashes: codeHashes(codes) };
}

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type {
  ConfirmEnrolment,
  EnrolledFactor,
  MfaStore,
  NewEnrolment,
} from '@latchhook/core/storage';
import { ADA, MINUTE_MS } from './login-samples.ts';

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

/** Enrols a factor, which must succeed. */
export async function enrol(
  mfa: MfaStore,
  enrolmentId: string,
  userId: string = ADA,
): Promise<EnrolledFactor> {
  await mfa.begin(userId, newEnrolment(enrolmentId));
  assert.equal(await mfa.confirm(userId, newConfirmation(enrolmentId)), true);
  return factorOf(mfa, userId);
}

/** The factor of a user who must have one. */
export async function factorOf(mfa: MfaStore, userId: string = ADA): Promise<EnrolledFactor> {
  const factor = await mfa.find(userId);
  assert.ok(factor !== null, 'expected a factor');
  return factor;
}

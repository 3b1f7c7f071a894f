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

/** The session by which Ada enrols, unless another is named. */
export const ENROLLING: string = 's1';

export function newEnrolment(enrolmentId: string, sessionId: string = ENROLLING): NewEnrolment {
  const encryptedSecret = encryptedSecretOf(enrolmentId);
  return { sessionId, enrolmentId, encryptedSecret, ttlMs: ENROLMENT_TTL_MS };
}

export function encryptedSecretOf(enrolmentId: string): string {
  return `encrypted "secret" of ${enrolmentId}`;
}

/** Hashes of `count` codes, different for each set. */
export function codeHashes(set: string, count = 10): readonly string[] {
  return Array.from({ length: count }, (_, nth) => codeHash(set, nth));
}

export function codeHash(set: string, nth: number): string {
  return createHash('sha256').update(`code ${nth} of ${set}`).digest('base64url');
}

/** Confirms an enrolment with a set of codes; by default the set is named like the enrolment. */
export function confirming(
  enrolmentId: string,
  codes: string = enrolmentId,
  sessionId: string = ENROLLING,
): ConfirmEnrolment {
  return { sessionId, enrolmentId, recoveryCodeHashes: codeHashes(codes) };
}

/** Enrols a factor; it has to succeed. */
export async function enrol(
  mfa: MfaStore,
  enrolmentId: string,
  userId: string = ADA,
): Promise<EnrolledFactor> {
  await mfa.begin(userId, newEnrolment(enrolmentId));
  assert.equal(await mfa.confirm(userId, confirming(enrolmentId)), true);
  return factorOf(mfa, userId);
}

/** The factor of a user who must have one. */
export async function factorOf(mfa: MfaStore, userId: string = ADA): Promise<EnrolledFactor> {
  const factor = await mfa.find(userId);
  assert.ok(factor !== null, 'expected a factor');
  return factor;
}

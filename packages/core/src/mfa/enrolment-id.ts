import { randomId } from '../random-id.ts';

/** The id of an enrolment, which names the session that was given its secret. */
export function newEnrolmentId(sessionId: string): string {
  return `${sessionId}.${randomId()}`;
}

/** Unambiguous, as neither part has a dot in it. */
export function isEnrolmentOf(sessionId: string, enrolmentId: string): boolean {
  return enrolmentId.startsWith(`${sessionId}.`);
}

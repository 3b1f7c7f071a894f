import { randomId } from '../ports/random.ts';

/** Names an enrolment by the login that was told its secret. */
export function newEnrolmentId(sessionId: string): string {
  return `${sessionId}.${randomId()}`;
}

/** Neither id has a dot in it. */
export function isEnrolmentOf(sessionId: string, enrolmentId: string): boolean {
  return enrolmentId.startsWith(`${sessionId}.`);
}

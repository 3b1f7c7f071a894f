import { randomId } from '../random-id.ts';

/** The id of an enrolment. It contains the id of the session that got the secret. */
export function newEnrolmentId(sessionId: string): string {
  return `${sessionId}.${randomId()}`;
}

/** Whether the session got the secret of the enrolment. Neither part of the id contains a dot. */
export function isEnrolmentOf(sessionId: string, enrolmentId: string): boolean {
  return enrolmentId.startsWith(`${sessionId}.`);
}

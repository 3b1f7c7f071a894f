/**
 * Rejects a user id of another type, such as the number of a row: no user has it, so a host written in JavaScript would
 * revoke nothing, and not notice.
 *
 * @throws {TypeError}
 */
export function assertUserId(userId: unknown): void {
  if (typeof userId === 'string' && userId !== '') return;
  throw new TypeError('userId must be a string that is not empty, as users.findById is given');
}

/**
 * Rejects a session id of another type, for the same reason.
 *
 * @throws {TypeError}
 */
export function assertSessionId(sessionId: unknown): void {
  if (typeof sessionId === 'string' && sessionId !== '') return;
  throw new TypeError(
    'sessionId must be a string that is not empty, as auth.sessions.list returns it',
  );
}

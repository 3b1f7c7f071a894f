import { AuthError } from '../errors.ts';
import type { AuthResponse } from '../http/messages.ts';

/**
 * The result of a handler that has made something that outlives the credential of the request. `defineRoute` then sends
 * the response only if the credential is still valid; otherwise it undoes the change and rejects the request.
 *
 * Concurrency: either the credential ended before the change, which is then undone; or the change came first, and is
 * found by anyone who revokes everything after the credential has ended. If the process dies in between, the change
 * remains, but nobody has got the secret that belongs to it.
 */
export interface PendingChange {
  readonly response: AuthResponse;
  /** Absent if it is enough that the client gets no response. */
  readonly undo?: () => Promise<unknown>;
}

/**
 * Returns the response, or undoes the change and rejects the request.
 *
 * @throws {AuthError} the error of `assertCredentialValid`; `temporarily_unavailable` if the change could not be undone
 */
export async function commitOrUndo(
  { response, undo }: PendingChange,
  assertCredentialValid: () => Promise<void>,
): Promise<AuthResponse> {
  try {
    await assertCredentialValid();
  } catch (rejection) {
    // Also if the store did not answer: the session may have ended, and the change must not outlive the session.
    await undo?.().catch(ignoreNotFound);
    throw rejection;
  }
  return response;
}

/** A call that revokes everything may have undone the change already. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof AuthError && error.code === 'not_found')) throw error;
}

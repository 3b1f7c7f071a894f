import { AuthError } from '../errors.ts';
import type { AuthResponse } from '../http/messages.ts';

/** An answer that is given only if the credential of its request is still good once it is ready. */
export interface PendingChange {
  readonly response: AuthResponse;
  readonly undo: () => Promise<unknown>;
}

/**
 * For routes whose doing outlives the credential: answers only if that is still good now that it is done; else undoes
 * it and rejects the request.
 *
 * Concurrency: either the credential ended first, and then what was made is undone; or it was made first, and then
 * anyone who looks for it after the end, to revoke all, finds it. A process that dies in between leaves what it made,
 * and has told nobody the secret of it.
 *
 * @param undo - default: nothing, where it is enough that the client is not told
 */
export function commitIfCredentialValid(
  response: AuthResponse,
  undo: () => Promise<unknown> = nothingToUndo,
): PendingChange {
  return { response, undo };
}

async function nothingToUndo(): Promise<void> {}

/**
 * @throws {AuthError} whatever `assertCredentialValid` throws; `temporarily_unavailable` where it could not be undone
 */
export async function settle(
  { response, undo }: PendingChange,
  assertCredentialValid: () => Promise<void>,
): Promise<AuthResponse> {
  try {
    await assertCredentialValid();
  } catch (rejection) {
    // In doubt too: while nobody can say whether the session lives, nothing that outlives it is left.
    await undo().catch(unlessGone);
    throw rejection;
  }
  return response;
}

/** Somebody else may have been quicker: the very call that revokes all. */
function unlessGone(error: unknown): void {
  if (!(error instanceof AuthError && error.code === 'not_found')) throw error;
}

import { ClientError } from '@latchhook/client';
import { client } from './client.ts';
import { askToLogIn } from './log-in.ts';
import { currentSessionId, loadSessions } from './sessions.ts';

/**
 * Asks the user to log in again with these scopes, and ends the session that the new login replaces. Resolves to
 * whether the user logged in.
 */
export async function logInAgain(scopes: string[]): Promise<boolean> {
  const id = await currentSessionId();
  const note = 'This needs your password again.';
  if (!(await askToLogIn(scopes, 'Confirm it is you', note))) return false;
  // If the request fails, the session ends when it expires.
  if (id)
    await client.request('DELETE /users/self/sessions/{id}', { path: { id } }).catch(() => {});
  await loadSessions();
  return true;
}

/** Runs an action that requires a recent login with `auth`. If it is rejected, logs in again and repeats it. */
export async function afterRecentLogin(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'insufficient_scope') throw error;
    const { scopes = [] } = client.session() ?? {};
    if (await logInAgain([...new Set([...scopes, 'auth'])])) await action();
  }
}

import type { SessionState } from '@latchhook/client';
import { client } from './client.ts';
import { showFactor } from './factor.ts';
import { askToLogIn, endLogIn, showLogIn } from './log-in.ts';
import { announce, bindAction, byId, runAction } from './page.ts';
import { logInAgain } from './recent-login.ts';
import { forgetSessions, loadSessions } from './sessions.ts';
import { lockTokens } from './tokens.ts';

const scopes = byId('scopes', HTMLFormElement);
let shownUserId: string | undefined;

/**
 * Shows the session after each change: by this tab, by another tab, or because the server ended it. `null`: nobody is
 * logged in; `undefined`: not known yet.
 */
function showSession(session: SessionState): void {
  byId('user', HTMLElement).hidden = !session;
  byId('user-id', HTMLElement).textContent = session?.userId ?? '';
  if (session === undefined) {
    byId('status', HTMLElement).textContent = 'Waiting for the server.';
    return;
  }
  const previousUserId = shownUserId;
  shownUserId = session?.userId;
  for (const box of scopes.querySelectorAll('input')) {
    box.defaultChecked = Boolean(session?.scopes.includes(box.value));
  }
  scopes.reset();
  if (!session?.scopes.includes('auth')) lockTokens();
  if (session && session.userId === previousUserId) return;
  forgetSessions();
  showFactor('off');
  const note = previousUserId ? 'Your session has ended. Log in again.' : '';
  if (session === null) return void askToLogIn(['user'], 'Log in', note);
  // If it is another user, the action that asked for a login is cancelled: it must not go on as that user.
  endLogIn(!previousUserId);
  void runAction(byId('sessions', HTMLElement), loadSessions);
}

bindAction('submit', 'scopes', async (fields) => {
  const isChanged = await logInAgain(['user', ...fields.getAll('scopes').map(String)]);
  scopes.reset();
  if (isChanged) announce('The scopes are changed.', scopes);
});

async function logOut(): Promise<void> {
  shownUserId = undefined;
  const isEnded = (await client.logout()).outcome === 'success';
  showLogIn(isEnded ? 'You are logged out.' : 'Your session goes on: the server was not reached.');
  byId('log-out-again', HTMLElement).hidden = isEnded;
}
for (const id of ['log-out', 'log-out-again']) bindAction('click', id, logOut);

client.subscribe(showSession);
showSession(client.session());

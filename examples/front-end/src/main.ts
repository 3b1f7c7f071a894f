import type { SessionState } from '@latchhook/client';
import { client } from './client.ts';
import { showFactor } from './factor.ts';
import { askToLogIn, endLogIn, showLogIn } from './log-in.ts';
import { announce, attempt, byId, on } from './page.ts';
import { forgetSessions, loadSessions, logInAgain } from './sessions.ts';
import { lockTokens } from './tokens.ts';

const scopes = byId('scopes', HTMLFormElement);
let shownUserId: string | undefined;

/** Follows what this tab does, what other tabs do, and what the server ends. */
function follow(session: SessionState): void {
  byId('user', HTMLElement).hidden = !session;
  byId('user-id', HTMLElement).textContent = session?.userId ?? '';
  if (session === undefined) return;
  const before = shownUserId;
  shownUserId = session?.userId;
  for (const box of scopes.querySelectorAll('input')) {
    box.defaultChecked = Boolean(session?.scopes.includes(box.value));
  }
  scopes.reset();
  if (!session?.scopes.includes('auth')) lockTokens();
  if (session && session.userId === before) return;
  forgetSessions();
  showFactor('off');
  const note = before ? 'Your session has ended. Log in again.' : '';
  if (session === null) return void askToLogIn(['user'], 'Log in', note);
  endLogIn(true);
  void attempt(byId('sessions', HTMLElement), loadSessions);
}

on('submit', 'scopes', async (fields) => {
  const isChanged = await logInAgain(['user', ...fields.getAll('scopes').map(String)]);
  scopes.reset();
  if (isChanged) announce('The scopes are changed.', scopes);
});

async function logOut(): Promise<void> {
  shownUserId = undefined;
  const isDone = (await client.logout()).outcome === 'success';
  showLogIn(isDone ? 'You are logged out.' : 'Your session goes on: the server was not reached.');
  byId('log-out-again', HTMLElement).hidden = isDone;
}
for (const id of ['log-out', 'log-out-again']) on('click', id, logOut);

client.subscribe(follow);
follow(client.session());

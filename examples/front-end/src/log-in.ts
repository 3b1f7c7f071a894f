import { ClientError } from '@latchhook/client';
import { client } from './client.ts';
import { bindAction, byId, setState } from './page.ts';

const views = byId('views', HTMLElement);
const username = byId('username', HTMLInputElement);
const password = byId('password', HTMLInputElement);

let scopes: readonly string[] = [];
let challenge = '';
/** Resolves the promise of the last call of `askToLogIn`. */
let resolveLogIn: (isLoggedIn: boolean) => void = () => {};

/** Asks for the password, and for a code if the user has a second factor. Resolves to whether the user logged in. */
export function askToLogIn(newScopes: string[], title: string, note: string): Promise<boolean> {
  resolveLogIn(false);
  scopes = newScopes;
  byId('log-in-title', HTMLElement).textContent = title;
  byId('cancel', HTMLElement).hidden = !client.session();
  username.readOnly = Boolean(client.session() && username.value);
  showLogIn(note);
  return new Promise((resolve) => {
    resolveLogIn = resolve;
  });
}

export function showLogIn(note: string): void {
  setState(views, 'log-in');
  (username.value ? password : username).focus();
  byId('status', HTMLElement).textContent = note;
}

export function endLogIn(isLoggedIn: boolean): void {
  resolveLogIn(isLoggedIn);
  byId('challenge', HTMLFormElement).reset();
  byId('log-out-again', HTMLElement).hidden = true;
  password.value = '';
  setState(views, 'account');
}

bindAction('submit', 'log-in', async () => {
  const request = { username: username.value, password: password.value, scopes };
  const result = await client.login(request);
  if (result.outcome === 'success') return endLogIn(true);
  challenge = result.challenge;
  password.value = '';
  setState(views, 'challenge');
});

bindAction('submit', 'challenge', async (fields) => {
  try {
    await client.completeChallenge({ challenge, code: String(fields.get('code')) });
    endLogIn(true);
  } catch (error) {
    const isWrongCode = error instanceof ClientError && error.code === 'invalid_grant';
    if (!isWrongCode || error.attemptsRemaining) throw error;
    showLogIn('Too many codes were wrong, or five minutes have passed. Log in again.');
  }
});

bindAction('click', 'back', async () => showLogIn(''));
bindAction('click', 'cancel', async () => {
  // A login that was sent may succeed: then it is the login of this page.
  if (!byId('log-in', HTMLFormElement).dataset['busy']) endLogIn(false);
});

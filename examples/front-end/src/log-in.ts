import { ClientError } from '@latchhook/client';
import { client } from './client.ts';
import { byId, on, setState } from './page.ts';

const views = byId('views', HTMLElement);
const username = byId('username', HTMLInputElement);
const password = byId('password', HTMLInputElement);

let scopes: readonly string[] = [];
let challenge = '';
/** Tells anyone who has asked for the login how it has ended. */
let settle: (loggedIn: boolean) => void = () => {};

/** Asks for the password, and for a code where there is a second factor. Resolves to whether the user logged in. */
export function askToLogIn(asked: string[], title: string, note: string): Promise<boolean> {
  settle(false);
  scopes = asked;
  byId('log-in-title', HTMLElement).textContent = title;
  byId('cancel', HTMLElement).hidden = !client.session();
  username.readOnly = Boolean(client.session() && username.value);
  showLogIn(note);
  return new Promise((resolve) => {
    settle = resolve;
  });
}

export function showLogIn(note: string): void {
  setState(views, 'log-in');
  (username.value ? password : username).focus();
  byId('status', HTMLElement).textContent = note;
}

export function endLogIn(loggedIn: boolean): void {
  settle(loggedIn);
  byId('challenge', HTMLFormElement).reset();
  password.value = '';
  setState(views, 'account');
}

on('submit', 'log-in', async () => {
  const asked = { username: username.value, password: password.value, scopes };
  const login = await client.login(asked);
  if (login.outcome === 'success') return endLogIn(true);
  challenge = login.challenge;
  password.value = '';
  setState(views, 'challenge');
});

on('submit', 'challenge', async (fields) => {
  try {
    await client.completeChallenge({ challenge, code: String(fields.get('code')) });
    endLogIn(true);
  } catch (error) {
    const isOver = error instanceof ClientError && error.code === 'invalid_grant';
    if (!isOver || error.attemptsRemaining) throw error;
    showLogIn('Too many codes were wrong, or five minutes have passed. Log in again.');
  }
});

on('click', 'back', async () => showLogIn(''));
on('click', 'cancel', async () => endLogIn(false));

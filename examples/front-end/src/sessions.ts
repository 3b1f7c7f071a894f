import { ClientError } from '@latchhook/client';
import type { components } from '@latchhook/client/openapi';
import { client } from './client.ts';
import { askToLogIn } from './log-in.ts';
import { announce, bindAction, byId, formatTime, makeEntry, setState } from './page.ts';

type Session = components['schemas']['Session'];

const list = byId('sessions', HTMLElement);
const factor = byId('factor', HTMLElement);
let currentSession: Session | undefined;

export function forgetSessions(): void {
  currentSession = undefined;
  list.replaceChildren();
}

export async function loadSessions(): Promise<void> {
  const { data } = await client.request('GET /users/self/sessions', { query: { limit: 100 } });
  list.replaceChildren(...data.map(entryOf));
  byId('end-others', HTMLElement).hidden = data.length < 2;
  const previousId = currentSession?.id;
  currentSession = data.find(({ current }) => current);
  // Recovery codes stay on the page because they are shown only once.
  if (currentSession?.id === previousId || factor.dataset['state'] === 'codes') return;
  const hasFactor = currentSession?.amr.some((method) => method === 'otp' || method === 'mfa');
  setState(factor, hasFactor ? 'on' : 'off');
}

function entryOf({ id, current, address, created_at, last_used_at, user_agent }: Session): Node {
  const agent = user_agent ?? '';
  const [browser = 'Unknown'] = /Edg|Firefox|Chrome|Safari|^(?!Mozilla)\w+/.exec(agent) ?? [];
  const [system] = /Windows|Android|iPhone|iPad|Mac|Linux/.exec(agent) ?? [];
  const title = [browser, system].filter(Boolean).join(', ') + (current ? ': this device' : '');
  const lastUse = `Last used ${formatTime(last_used_at)}, from ${address ?? 'unknown'}`;
  const details = `${lastUse}\nLogged in ${formatTime(created_at)}`;
  if (current) return makeEntry(title, details);
  return makeEntry(title, details, 'End', async () => {
    await client.request('DELETE /users/self/sessions/{id}', { path: { id } });
    await loadSessions();
    announce('The session has ended.', list);
  });
}

bindAction('click', 'end-others', async () => {
  await client.request('DELETE /users/self/sessions', { query: { except: 'current' } });
  await loadSessions();
  announce('All other sessions have ended.', list);
});

/** Asks the user to log in again with these scopes, and ends the session that the new login replaces. */
export async function logInAgain(scopes: string[]): Promise<boolean> {
  if (!currentSession) await loadSessions();
  const path = { id: currentSession?.id ?? '' };
  const note = 'This needs your password again.';
  if (!(await askToLogIn(scopes, 'Confirm it is you', note))) return false;
  // If the request fails, the session ends when it expires.
  await client.request('DELETE /users/self/sessions/{id}', { path }).catch(() => {});
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

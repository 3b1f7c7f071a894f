import { ClientError } from '@latchhook/client';
import type { components } from '@latchhook/client/openapi';
import { client } from './client.ts';
import { askToLogIn } from './log-in.ts';
import { announce, byId, inWords, makeEntry, on, setState } from './page.ts';

type Session = components['schemas']['Session'];

const list = byId('sessions', HTMLElement);
const factor = byId('factor', HTMLElement);
let here: Session | undefined;

export function forgetSessions(): void {
  here = undefined;
  list.replaceChildren();
}

export async function loadSessions(): Promise<void> {
  const { data } = await client.request('GET /users/self/sessions', { query: { limit: 100 } });
  list.replaceChildren(...data.map(entryOf));
  byId('end-others', HTMLElement).hidden = data.length < 2;
  const before = here;
  here = data.find(({ current }) => current);
  // Recovery codes stay: they are shown this once.
  if (here?.id === before?.id || factor.dataset['state'] === 'codes') return;
  const isProved = here?.amr.some((method) => method === 'otp' || method === 'mfa');
  setState(factor, isProved ? 'on' : 'off');
}

function entryOf({ id, current, address, created_at, last_used_at, user_agent }: Session): Node {
  const agent = user_agent ?? '';
  const [browser = 'Unknown'] = /Edg|Firefox|Chrome|Safari|^(?!Mozilla)\w+/.exec(agent) ?? [];
  const [system] = /Windows|Android|iPhone|iPad|Mac|Linux/.exec(agent) ?? [];
  const title = [browser, system].filter(Boolean).join(', ') + (current ? ': this device' : '');
  const used = `Last used ${inWords(last_used_at)}, from ${address ?? 'unknown'}`;
  const details = `${used}\nLogged in ${inWords(created_at)}`;
  if (current) return makeEntry(title, details);
  return makeEntry(title, details, 'End', async () => {
    await client.request('DELETE /users/self/sessions/{id}', { path: { id } });
    await loadSessions();
    announce('The session has ended.', list);
  });
}

on('click', 'end-others', async () => {
  await client.request('DELETE /users/self/sessions', { query: { except: 'current' } });
  await loadSessions();
  announce('All other sessions have ended.', list);
});

/** Has the user log in again, with these scopes, and ends the session that this replaces. */
export async function logInAgain(scopes: string[]): Promise<boolean> {
  if (!here) await loadSessions();
  const path = { id: here?.id ?? '' };
  const note = 'This needs your password again.';
  if (!(await askToLogIn(scopes, 'Confirm it is you', note))) return false;
  // What cannot be ended now ends by itself.
  await client.request('DELETE /users/self/sessions/{id}', { path }).catch(() => {});
  await loadSessions();
  return true;
}

/** Does what needs a recent login with `auth`, after another login if there was none. */
export async function afterRecentLogin(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'insufficient_scope') throw error;
    const { scopes = [] } = client.session() ?? {};
    if (await logInAgain([...new Set([...scopes, 'auth'])])) await act();
  }
}

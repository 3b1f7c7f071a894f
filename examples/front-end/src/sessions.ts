import type { components } from '@latchhook/client/openapi';
import { client } from './client.ts';
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
  // The methods of a new login tell whether the user has a factor; later changes are already shown. Recovery codes stay
  // on the page because they are shown only once.
  if (currentSession?.id === previousId || factor.dataset['state'] === 'codes') return;
  const hasFactor = currentSession?.amr.some((method) => method === 'otp' || method === 'mfa');
  setState(factor, hasFactor ? 'on' : 'off');
}

/** The id of this login's session; empty if it has ended. */
export async function currentSessionId(): Promise<string> {
  if (!currentSession) await loadSessions();
  return currentSession?.id ?? '';
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

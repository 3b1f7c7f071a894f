import { client } from './client.ts';
import { announce, byId, inWords, makeEntry, on, setState } from './page.ts';
import { afterRecentLogin } from './sessions.ts';

const section = byId('tokens', HTMLElement);
const list = byId('token-list', HTMLElement);
const made = byId('made-token', HTMLInputElement);

/** Leaves nothing on the page that needs the scope `auth` to be seen. */
export function lockTokens(): void {
  list.replaceChildren();
  made.value = '';
  setState(section, 'locked');
}

async function loadTokens(): Promise<void> {
  const { data } = await client.request('GET /users/self/pats', { query: { limit: 100 } });
  list.replaceChildren(...data.map(entryOf));
  setState(section, made.value ? 'made' : 'open');
}

type Tokens = Awaited<ReturnType<typeof client.request<'GET /users/self/pats'>>>['data'];
function entryOf(token: Tokens[number]): Node {
  const { id, name, prefix, scopes, expires_at, last_used_at } = token;
  const use = last_used_at ? `last used ${inWords(last_used_at)}` : 'never used';
  const details = `${prefix}…, for ${scopes.join(', ')}\nEnds ${inWords(expires_at)}, ${use}`;
  const revoke = async () => {
    await client.request('DELETE /users/self/pats/{id}', { path: { id } });
    made.value = '';
    await loadTokens();
    announce('The token is revoked.', list);
  };
  return makeEntry(name, details, 'Revoke', () => afterRecentLogin(revoke));
}

on('click', 'unlock', () => afterRecentLogin(loadTokens));

on('submit', 'new-token', async (fields) => {
  const body = {
    name: String(fields.get('name')),
    // The form has no others.
    scopes: fields.getAll('scopes') as ('user' | 'admin' | 'internal')[],
  };
  await afterRecentLogin(async () => {
    ({ token: made.value } = await client.request('POST /users/self/pats', { body }));
    byId('new-token', HTMLFormElement).reset();
    await loadTokens();
    made.select();
  });
});

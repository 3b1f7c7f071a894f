import { client } from './client.ts';
import { announce, bindAction, byId, formatTime, makeEntry, setState } from './page.ts';
import { afterRecentLogin } from './recent-login.ts';

const section = byId('tokens', HTMLElement);
const list = byId('token-list', HTMLElement);
const madeToken = byId('made-token', HTMLInputElement);

/** Removes everything from the page that requires the scope `auth`. */
export function lockTokens(): void {
  list.replaceChildren();
  madeToken.value = '';
  setState(section, 'locked');
}

async function loadTokens(): Promise<void> {
  const { data } = await client.request('GET /users/self/pats', { query: { limit: 100 } });
  list.replaceChildren(...data.map(entryOf));
  setState(section, madeToken.value ? 'made' : 'open');
}

type Tokens = Awaited<ReturnType<typeof client.request<'GET /users/self/pats'>>>['data'];
function entryOf(token: Tokens[number]): Node {
  const { id, name, prefix, scopes, expires_at, last_used_at } = token;
  const use = last_used_at ? `last used ${formatTime(last_used_at)}` : 'never used';
  const details = `${prefix}…, for ${scopes.join(', ')}\nEnds ${formatTime(expires_at)}, ${use}`;
  const revoke = async () => {
    await client.request('DELETE /users/self/pats/{id}', { path: { id } });
    madeToken.value = '';
    await loadTokens();
    announce('The token is revoked.', list);
  };
  return makeEntry(name, details, 'Revoke', () => afterRecentLogin(revoke));
}

bindAction('click', 'unlock', () => afterRecentLogin(loadTokens));

bindAction('submit', 'new-token', async (fields) => {
  const body = {
    name: String(fields.get('name')),
    // The form has checkboxes for these scopes only.
    scopes: fields.getAll('scopes') as ('user' | 'admin' | 'internal')[],
  };
  await afterRecentLogin(async () => {
    ({ token: madeToken.value } = await client.request('POST /users/self/pats', { body }));
    byId('new-token', HTMLFormElement).reset();
    await loadTokens();
    madeToken.select();
  });
});

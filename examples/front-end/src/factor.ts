import { client } from './client.ts';
import { announce, bindAction, byId, make, setState } from './page.ts';
import { afterRecentLogin } from './recent-login.ts';

const section = byId('factor', HTMLElement);
const qr = byId('qr', HTMLImageElement);
const key = byId('key', HTMLElement);
const codes = byId('recovery-codes', HTMLElement);

/** Shows whether the second factor is on, without its secrets. */
export function showFactor(state: 'off' | 'on'): void {
  qr.removeAttribute('src');
  key.textContent = '';
  byId('enrol', HTMLFormElement).reset();
  codes.replaceChildren();
  setState(section, state);
}

function showCodes(data: { readonly recovery_codes: readonly string[] }): void {
  showFactor('on');
  codes.append(...data.recovery_codes.map((code) => make('code', '', code)));
  setState(section, 'codes');
  announce('These are your recovery codes.', section);
}

const bindRecentLoginAction = (id: string, action: () => Promise<void>) =>
  bindAction('click', id, () => afterRecentLogin(action));

bindRecentLoginAction('begin', async () => {
  const { secret, qr_svg: svg } = await client.request('POST /users/self/mfa/totp');
  qr.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  key.textContent = secret.replace(/.{4}(?=.)/g, '$& ');
  setState(section, 'enrolling');
});

// Without `afterRecentLogin`: another login could not confirm the enrolment, which belongs to this login.
bindAction('submit', 'enrol', async (fields) => {
  const body = { code: String(fields.get('code')) };
  showCodes(await client.request('POST /users/self/mfa/totp/confirm', { body }));
});

bindRecentLoginAction('new-codes', async () => {
  showCodes(await client.request('POST /users/self/mfa/recovery-codes'));
});

bindRecentLoginAction('remove', async () => {
  await client.request('DELETE /users/self/mfa/totp');
  showFactor('off');
  announce('Your second factor is removed.', section);
});

bindAction('click', 'cancel-enrolment', async () => showFactor('off'));
bindAction('click', 'codes-kept', async () => showFactor('on'));

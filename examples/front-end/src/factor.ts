import { client } from './client.ts';
import { announce, byId, make, on, setState } from './page.ts';
import { afterRecentLogin } from './sessions.ts';

const section = byId('factor', HTMLElement);
const qr = byId('qr', HTMLImageElement);
const key = byId('key', HTMLElement);
const codes = byId('recovery-codes', HTMLElement);

/** Leaves no secret on the page that it has shown. */
export function showFactor(state: 'off' | 'on'): void {
  qr.removeAttribute('src');
  key.textContent = '';
  byId('enrol', HTMLFormElement).reset();
  codes.replaceChildren();
  setState(section, state);
}

function showCodes(answer: { readonly recovery_codes: readonly string[] }): void {
  showFactor('on');
  codes.append(...answer.recovery_codes.map((code) => make('code', '', code)));
  setState(section, 'codes');
  announce('These are your recovery codes.', section);
}

const onPress = (id: string, act: () => Promise<void>) =>
  on('click', id, () => afterRecentLogin(act));

onPress('begin', async () => {
  const { secret, qr_svg: svg } = await client.request('POST /users/self/mfa/totp');
  qr.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  key.textContent = secret.replace(/.{4}(?=.)/g, '$& ');
  setState(section, 'enrolling');
});

// Not after another login: what this one has begun is its own.
on('submit', 'enrol', async (fields) => {
  const body = { code: String(fields.get('code')) };
  showCodes(await client.request('POST /users/self/mfa/totp/confirm', { body }));
});

onPress('new-codes', async () => {
  showCodes(await client.request('POST /users/self/mfa/recovery-codes'));
});

onPress('remove', async () => {
  await client.request('DELETE /users/self/mfa/totp');
  showFactor('off');
  announce('Your second factor is removed.', section);
});

on('click', 'leave', async () => showFactor('off'));
on('click', 'kept', async () => showFactor('on'));

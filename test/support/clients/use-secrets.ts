import { randomBytes } from 'node:crypto';
import type { HttpResponse } from '../../hosts/send-request.ts';
import { GRACE_RECOVERY_CODES, refreshSecret, signingKey, type TestApp } from '../apps/test-app.ts';
import {
  CONFIRM,
  codeOf,
  type EnrolmentBody,
  RECOVERY_CODES,
  type RecoveryCodesBody,
  TOTP,
  wrongCodeOf,
} from './mfa-calls.ts';
import { NEW_PAT, type NewPatBody, PATS } from './pat-calls.ts';
import { SESSIONS } from './session-calls.ts';
import {
  answerChallenge,
  type ChallengeBody,
  get,
  logIn,
  postForm,
  postJson,
  putJson,
  refresh,
  revoke,
  type TokenBody,
  totp,
  wrongCode,
} from './token-calls.ts';
import { GRACE_TOTP_SECRET, TEST_PASSWORD } from './users.ts';
import { callsWith } from './webhook-calls.ts';

/** The private part of the signing key, without the lines around it. */
const [signingKeyBody = ''] = /(?<=KEY-----\n)[^-]+?(?=\n)/.exec(signingKey) ?? [];

/** The lasting secrets of the users and of the app. */
const LASTING_SECRETS: readonly string[] = [
  TEST_PASSWORD,
  GRACE_TOTP_SECRET,
  ...GRACE_RECOVERY_CODES,
  ...GRACE_RECOVERY_CODES.map((code) => code.replaceAll('-', '')),
  signingKeyBody,
  refreshSecret,
];

/** The options that {@link useSecrets} needs. */
export const ENROLMENT = { mfa: { enrolment: true } };

/** A random secret that can occur in no other text. */
export function canarySecret(): string {
  return `canary-${randomBytes(12).toString('hex')}`;
}

/** Sends right and wrong secrets in every field of every flow, and resolves to all of them. */
export async function useSecrets(app: TestApp): Promise<readonly string[]> {
  const used: string[] = [];
  const recordSecrets = <Body>(response: HttpResponse): Body => {
    const body = JSON.parse(response.body);
    for (const name of ['access_token', 'refresh_token', 'challenge', 'token']) {
      if (typeof body[name] === 'string') used.push(body[name]);
    }
    return body;
  };
  const canary = (): string => {
    const secret = canarySecret();
    used.push(secret);
    return secret;
  };

  const first = recordSecrets<TokenBody>(await logIn(app, 'ada', { scopes: 'user,admin' }));
  const token = first.refresh_token ?? canary();
  await logIn(app, 'ada', { password: canary() });
  await logIn(app, 'nobody', { password: canary() });
  await logIn(app, 'kurt', { password: canary() });
  await logIn(app, 'ada', { password: canary(), scopes: 1 });
  await postForm(app, '/token', { username: 'ada@example.com', password: canary() });
  await postJson(app, '/token', `{"password":"${canary()}"`);

  recordSecrets(await refresh(app, token));
  recordSecrets(await putJson(app, '/token', { refresh_token: token }));
  await refresh(app, canary());
  await refresh(app, `lh_rt_${canary()}`);
  await refresh(app, `${token}A`);
  await get(app, '/me', first.access_token);
  await get(app, '/admin', first.access_token);
  await get(app, '/me', canary());

  for (const code of [wrongCode(app), GRACE_RECOVERY_CODES[0], totp(app), 'ABCD-EFGH-IJKL-MNOP']) {
    const { challenge } = recordSecrets<ChallengeBody>(await logIn(app, 'grace'));
    recordSecrets(await answerChallenge(app, challenge ?? canary(), { code }));
    await answerChallenge(app, challenge ?? canary(), { code: canary() });
  }
  used.push('ABCD-EFGH-IJKL-MNOP', 'ABCDEFGHIJKLMNOP');
  await answerChallenge(app, canary(), { code: totp(app) });

  const manager = callsWith(
    app,
    recordSecrets<TokenBody>(await logIn(app, 'ada', { scopes: 'auth' })).access_token ?? canary(),
  );
  for (const name of ['used', 'leaked', 'revoked']) {
    const { id, token: pat = canary() } = recordSecrets<Partial<NewPatBody>>(
      await manager.send('POST', PATS, { ...NEW_PAT, name, scopes: ['user', 'internal'] }),
    );
    await get(app, '/me', pat);
    await get(app, '/admin', pat);
    await refresh(app, pat);
    for (const token of [pat, `${pat}A`, first.access_token, first.refresh_token, canary()]) {
      await callsWith(app, pat).send('POST', '/token/introspect', { token: token });
    }
    if (name === 'leaked') await app.auth.personalAccessTokens.revokeLeaked(pat).catch(() => null);
    if (name === 'revoked') await revoke(app, pat);
    await manager.send('GET', PATS);
    await manager.send('DELETE', `${PATS}/${id ?? canary()}`);
    await manager.send('DELETE', `${PATS}/${pat}`);
  }
  await manager.send('POST', PATS, { ...NEW_PAT, token: canary(), scopes: [canary()] });

  used.push(...(await useFactor(app)));

  // A reuse, and revocations of a dead session, a live session and no session.
  app.clock.advance(61_000);
  await refresh(app, token);
  await revoke(app, token);
  const other = recordSecrets<TokenBody>(await logIn(app, 'ada'));
  await revoke(app, other.access_token ?? canary());
  await revoke(app, canary());
  return [...LASTING_SECRETS, ...used];
}

/** Enrols a factor, uses it and renews its codes. The factor stays. */
async function useFactor(app: TestApp): Promise<readonly string[]> {
  app.users.change('alan', { scopes: ['user', 'auth'] });
  const login = await logIn(app, 'alan', { scopes: 'auth' });
  const { access_token: token = canarySecret() }: Partial<TokenBody> = JSON.parse(login.body);
  const calls = callsWith(app, token);
  const enrolment: Partial<EnrolmentBody> = JSON.parse((await calls.send('POST', TOTP)).body);
  const { secret: totpSecret = GRACE_TOTP_SECRET, otpauth_uri: uri, qr_svg: picture } = enrolment;
  const used = [token, totpSecret, ...(uri && picture ? [uri, picture] : [])];
  const codesOf = (response: HttpResponse): readonly string[] => {
    const { recovery_codes: codes = [] }: Partial<RecoveryCodesBody> = JSON.parse(response.body);
    used.push(...codes, ...codes.map((code) => code.replaceAll('-', '')));
    return codes;
  };

  await calls.send('POST', CONFIRM, { code: canarySecret() });
  await calls.send('POST', CONFIRM, { code: wrongCodeOf(app, totpSecret, 9) });
  const [first] = codesOf(await calls.send('POST', CONFIRM, { code: codeOf(app, totpSecret) }));
  app.clock.advance(30_000);
  let byFactor = calls;
  for (const code of [first, first, codeOf(app, totpSecret)]) {
    const pending: Partial<ChallengeBody> = JSON.parse((await logIn(app, 'alan')).body);
    const { challenge = canarySecret() } = pending;
    const response = await answerChallenge(app, challenge, { code, scopes: ['user', 'auth'] });
    const tokens: Partial<TokenBody> = JSON.parse(response.body);
    used.push(challenge, ...(tokens.access_token ? [tokens.access_token] : []));
    if (tokens.access_token) byFactor = callsWith(app, tokens.access_token);
  }
  codesOf(await byFactor.send('POST', RECOVERY_CODES));
  await calls.send('GET', SESSIONS);
  await calls.send('DELETE', `${SESSIONS}/${canarySecret()}`);
  return used;
}

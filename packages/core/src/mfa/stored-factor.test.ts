import { randomBytes } from 'node:crypto';
import { generateSync } from 'otplib';
import { describe, expect, it } from 'vitest';
import type { Auth } from '../auth.ts';
import type { AuthOptions } from '../auth-options.ts';
import { createAuth } from '../create-auth.ts';
import { toFetchHandler } from '../http/to-fetch-handler.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';

const ISSUER = 'https://api.example.com';
const encryption = [randomBytes(32)];
const keys = { signing: generateSigningKey('ES256'), refreshSecrets: [randomBytes(32)] };
const SCOPES = 'user,auth';

/** An app on the storage, with its own options. */
function openApp(storage: Storage, options: Partial<AuthOptions>) {
  const faults: SecurityEvent[] = [];
  const userOf = (id: string) => ({
    id,
    passwordHash: 'x',
    accounts: [1],
    scopes: ['user', 'auth'] as const,
  });
  const auth = createAuth({
    issuer: ISSUER,
    users: {
      findByUsername: async (name) => userOf(name.split('@')[0] ?? ''),
      findById: async (id) => userOf(id),
    },
    passwords: { limitConcurrency: false, verifier: async (_, password) => password === 'right' },
    throttle: false,
    storage,
    onSecurityEvent: (event) => event.type === 'fault' && faults.push(event),
    ...options,
  });
  return { auth, faults };
}

async function post(auth: Auth, path: string, body: object, bearer?: string) {
  const request = new Request(`${ISSUER}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer && { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
  });
  const response = await toFetchHandler(auth)(request, { remoteAddress: '192.0.2.1' });
  return { status: response?.status, body: Object(await response?.json()) };
}

function logIn(auth: Auth, name = 'ada') {
  const body = { username: `${name}@example.com`, password: 'right', scopes: SCOPES };
  return post(auth, '/token', body);
}

/** A storage in which Ada has enrolled a factor, in an app with `mfa.enrolment`. */
async function enrolledStorage() {
  const storage = memoryStorage();
  const { auth } = openApp(storage, { mfa: { enrolment: true }, keys: { ...keys, encryption } });
  const { body } = await logIn(auth);
  const enrolment = await post(auth, '/users/self/mfa/totp', {}, body.access_token);
  const code = generateSync({ secret: enrolment.body.secret });
  const path = '/users/self/mfa/totp/confirm';
  const confirmation = await post(auth, path, { code }, body.access_token);
  expect(confirmation.status).toBe(200);
  return { storage, recoveryCodes: confirmation.body.recovery_codes };
}

describe('a stored factor, in an app without mfa.enrolment', () => {
  it('is required at a login, which a recovery code completes', async () => {
    const { storage, recoveryCodes } = await enrolledStorage();
    const { auth } = openApp(storage, { keys: { ...keys, encryption } });
    const { status, body } = await logIn(auth);
    expect([status, body.error]).toEqual([401, 'mfa_required']);
    const answer = { challenge: body.challenge, code: recoveryCodes[0] };
    expect((await post(auth, '/token/challenge', answer)).status).toBe(200);
  });

  it('is required at a host login', async () => {
    const { storage } = await enrolledStorage();
    const { auth } = openApp(storage, { keys: { ...keys, encryption } });
    expect(await auth.login('ada', { amr: ['fed'] })).toMatchObject({ outcome: 'challenged' });
  });

  it('is required to create a personal access token', async () => {
    const { storage } = await enrolledStorage();
    const { auth } = openApp(storage, { keys: { ...keys, encryption } });
    // This login needs no second factor, because Grace enrols hers only afterwards.
    const login = await auth.login('grace', { amr: ['fed'], scopes: ['user', 'auth'] });
    if (login.outcome !== 'issued') throw new Error(login.outcome);
    const { accessToken } = login.tokens;
    await storage.mfa.begin('grace', {
      sessionId: 's1',
      enrolmentId: 'e',
      encryptedSecret: 's',
      ttlMs: 60_000,
    });
    await storage.mfa.confirm('grace', {
      sessionId: 's1',
      enrolmentId: 'e',
      recoveryCodeHashes: [],
    });
    const response = await post(
      auth,
      '/users/self/pats',
      { name: 'x', scopes: ['user'] },
      accessToken,
    );
    expect(response.status).toBe(403);
  });

  it('fails the login with 500 and one fault if its encryption key is missing', async () => {
    const { storage } = await enrolledStorage();
    const { auth, faults } = openApp(storage, { keys });
    expect((await logIn(auth)).status).toBe(500);
    expect(faults).toMatchObject([
      {
        where: 'host',
        error: { message: expect.stringContaining('keys.encryption was not given') },
      },
    ]);
    await expect(auth.login('ada', { amr: ['fed'] })).rejects.toMatchObject({
      code: 'server_error',
    });
    // Grace has no factor.
    expect((await logIn(auth, 'grace')).status).toBe(200);
  });

  it('is re-encrypted under a newer key by reencrypt()', async () => {
    const { storage } = await enrolledStorage();
    const newRing = [randomBytes(32), ...encryption];
    const { auth } = openApp(storage, { keys: { ...keys, encryption: newRing } });
    expect((await auth.keys.reencrypt()).factors).toEqual({ reencrypted: 1, unreadable: 0 });
  });

  it('is not required if the storage is passed without its `mfa`', async () => {
    const { storage } = await enrolledStorage();
    const { mfa: _, ...storageWithoutMfa } = storage;
    const { auth } = openApp(storageWithoutMfa, { keys });
    expect((await logIn(auth)).status).toBe(200);
  });
});

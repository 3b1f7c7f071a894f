import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAuth } from './create-auth.ts';
import { toFetchHandler } from './http/to-fetch-handler.ts';
import type { SecurityEvent } from './ports/security-events.ts';
import { type AroundCall, mapMethods } from './storage/map-methods.ts';
import { memoryStorage } from './storage/memory/memory-storage.ts';
import type { Storage } from './storage/storage.ts';
import { STORE_METHODS } from './storage/store-methods.ts';

const ISSUER = 'https://api.example.com';
const ADA = { id: 'ada', passwordHash: 'x', accounts: [1], scopes: ['user', 'auth'] as const };

/** A right password; once it has been checked, the storage is down. */
const RIGHT_THEN_DOWN = 'right, then down';

/** An app whose whole storage fails after `goDown`. */
function openApp() {
  let isDown = false;
  const unlessDown: AroundCall = (call) =>
    isDown ? Promise.reject(new Error('the storage is down')) : call();
  const memory = memoryStorage();
  const { sessions, challenges, limiters, personalAccessTokens, mfa } = STORE_METHODS;
  const storage: Storage = {
    name: 'failing',
    sessions: mapMethods(memory.sessions, sessions, unlessDown),
    challenges: mapMethods(memory.challenges, challenges, unlessDown),
    limiters: (options) => mapMethods(memory.limiters(options), limiters, unlessDown),
    personalAccessTokens: {
      ...mapMethods(memory.personalAccessTokens, personalAccessTokens, unlessDown),
      // From now on, the session can no longer be checked, nor the token be revoked.
      async create(token, options) {
        const created = await memory.personalAccessTokens.create(token, options);
        isDown = true;
        return created;
      },
    },
    mfa: mapMethods(memory.mfa, mfa, unlessDown),
  };
  const faults: SecurityEvent[] = [];
  const auth = createAuth({
    issuer: ISSUER,
    users: { findByUsername: async () => ADA, findById: async () => ADA },
    passwords: {
      limitConcurrency: false,
      verifier: async (_, password) => {
        isDown ||= password === RIGHT_THEN_DOWN;
        return password !== 'wrong';
      },
    },
    storage,
    mfa: { enrolment: true },
    keys: { encryption: [randomBytes(32)] },
    onSecurityEvent: (event) => event.type === 'fault' && faults.push(event),
  });
  const handle = toFetchHandler(auth);

  async function send(method: string, path: string, { bearer, json }: Sent = {}) {
    const response = await handle(
      new Request(`${ISSUER}${path}`, {
        method,
        headers: {
          ...(json && { 'content-type': 'application/json' }),
          ...(bearer && { authorization: `Bearer ${bearer}` }),
        },
        ...(json && { body: JSON.stringify(json) }),
      }),
      { remoteAddress: '192.0.2.1' },
    );
    return { status: response?.status, body: Object(await response?.json()) };
  }
  const logIn = (password: string) =>
    send('POST', '/token', {
      json: { username: 'ada@example.com', password, scopes: 'user,auth' },
    });
  return {
    auth,
    faults,
    send,
    logIn,
    goDown: () => {
      isDown = true;
    },
  };
}

interface Sent {
  readonly bearer?: string;
  readonly json?: object;
}

describe('a storage that is down', () => {
  it.each(['right', 'wrong'])('causes one fault for a login by a %s password', async (password) => {
    const { logIn, goDown, faults } = openApp();
    goDown();
    expect((await logIn(password)).status).toBe(503);
    expect(faults).toMatchObject([
      { where: 'storage', error: expect.objectContaining({ message: 'the storage is down' }) },
    ]);
  });

  it('causes one fault for a login whose session and throttle both fail', async () => {
    const { logIn, faults } = openApp();
    expect((await logIn(RIGHT_THEN_DOWN)).status).toBe(503);
    expect(faults).toHaveLength(1);
  });

  it('causes one fault for each request to a route that needs a session', async () => {
    const { send, logIn, goDown, faults } = openApp();
    const { body } = await logIn('right');
    goDown();
    const bearer = body.access_token;
    for (const [method, path] of [
      ['GET', '/users/self/sessions'],
      ['DELETE', '/users/self/sessions'],
      ['GET', '/users/self/pats'],
      ['POST', '/users/self/mfa/totp'],
      ['DELETE', '/users/self/mfa/totp'],
    ] as const) {
      faults.length = 0;
      expect((await send(method, path, { bearer })).status).toBe(503);
      expect(faults).toHaveLength(1);
    }
    faults.length = 0;
    const json = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect((await send('POST', '/token', { json })).status).toBe(503);
    expect(faults).toHaveLength(1);
  });

  it('causes one fault for a request that can neither be confirmed nor undone', async () => {
    const { send, logIn, faults } = openApp();
    const { body } = await logIn('right');
    const json = { name: 'export', scopes: ['user'] };
    const response = await send('POST', '/users/self/pats', { bearer: body.access_token, json });
    expect(response.status).toBe(503);
    expect(faults).toHaveLength(1);
  });

  it('causes one fault for each call of the host: to revoke, re-encrypt, log in and check a token', async () => {
    const { auth, logIn, goDown, faults } = openApp();
    const { body } = await logIn('right');
    goDown();
    const unavailable = { code: 'temporarily_unavailable' };
    await expect(auth.sessions.revokeAll('ada')).rejects.toMatchObject(unavailable);
    await expect(auth.factors.remove('ada')).rejects.toMatchObject(unavailable);
    await expect(auth.keys.reencrypt()).rejects.toMatchObject(unavailable);
    await expect(auth.login('ada', { amr: ['fed'] })).rejects.toMatchObject(unavailable);
    await auth.bearer.check(`Bearer ${body.access_token}`, { scope: 'user', checkSession: true });
    expect(faults).toHaveLength(5);
  });
});

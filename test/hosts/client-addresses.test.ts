import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Auth, createAuth, type SecurityEvent, toFetchHandler } from '@latchhook/core';
import type { SessionRecord } from '@latchhook/core/storage';
import { latchhook } from '@latchhook/express';
import { latchhook as koaLatchhook } from '@latchhook/koa';
import express from 'express';
import express4 from 'express4';
import Koa from 'koa';
import Koa2 from 'koa2';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TEST_PASSWORD, testUsers } from '../support/clients/users.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { temporaryFolder } from '../support/servers/temporary-folder.ts';

/** A host behind one proxy that it trusts. */
type MakeListener = (auth: Auth) => RequestListener;

const inExpress =
  (create: typeof express): MakeListener =>
  (auth) =>
    create().set('trust proxy', 1).use(latchhook(auth));

const inKoa =
  (App: typeof Koa): MakeListener =>
  (auth) =>
    new App({ proxy: true, maxIpsCount: 1 }).use(koaLatchhook(auth)).callback();

const inFetch: MakeListener = (auth) => {
  const handle = toFetchHandler(auth);
  return async (req, res) => {
    const { method = 'GET', url, headers } = req;
    const fetchRequest = new Request(`http://localhost${url}`, {
      method,
      headers: { 'content-type': String(headers['content-type']) },
      body: await text(req),
    });
    const remoteAddress = headers['x-forwarded-for'];
    const response = await handle(fetchRequest, {
      ...(typeof remoteAddress === 'string' && { remoteAddress }),
    });
    res.writeHead(response?.status ?? 404);
    res.end(await response?.text());
  };
};

const HOSTS: readonly (readonly [name: string, listener: MakeListener])[] = [
  ['Express 4', inExpress(express4)],
  ['Express 5', inExpress(express)],
  ['Koa 2', inKoa(Koa2)],
  ['Koa 3', inKoa(Koa)],
  ['Fetch', inFetch],
];

/** Spellings that proxies use for one and the same address. */
const SPELLINGS = [
  '198.51.100.7',
  '198.51.100.7:50001',
  '198.51.100.7:50002',
  '"198.51.100.7:50003"',
  '::ffff:198.51.100.7',
  '[::ffff:c633:6407]:50004',
  '0:0:0:0:0:FFFF:C633:6407',
];

async function start(listener: MakeListener, listenOn: string | number = 0) {
  const events: SecurityEvent[] = [];
  const auth = createAuth({
    issuer: 'https://api.example.com',
    users: await testUsers(),
    keys: {
      signing: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      refreshSecrets: [randomBytes(32)],
      encryption: [randomBytes(32)],
    },
    webhooks: { worker: handDelivery() },
    throttle: { addressFailures: SPELLINGS.length },
    onSecurityEvent: (event) => events.push(event),
  });
  const server = createServer(listener(auth)).listen(listenOn);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const target =
    typeof address === 'string'
      ? { socketPath: address }
      : { host: '127.0.0.1', port: (address as AddressInfo).port };

  /** Logs in with this `X-Forwarded-For`; resolves to the status. */
  async function logIn(username: string, forwardedFor?: string, password = TEST_PASSWORD) {
    const sent = request({
      ...target,
      method: 'POST',
      path: '/token',
      agent: false,
      headers: {
        'content-type': 'application/json',
        ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
      },
    });
    sent.end(JSON.stringify({ username: `${username}@example.com`, password }));
    const [response] = await once(sent, 'response');
    response.resume();
    return response.statusCode;
  }
  return { auth, events, logIn };
}

function addressesOf(records: readonly Pick<SessionRecord, 'clientAddress'>[]) {
  return [...new Set(records.map(({ clientAddress }) => clientAddress))];
}

describe.each(HOSTS)('the address of a client in %s', (_, listener) => {
  it('is normalised from every spelling of a proxy, for throttling, events and sessions', async () => {
    const { auth, events, logIn } = await start(listener);
    for (const spelling of SPELLINGS) expect(await logIn('ada', spelling)).toBe(200);
    expect(addressesOf(await auth.sessions.list('ada'))).toEqual(['198.51.100.7']);
    for (const [i, spelling] of SPELLINGS.entries()) {
      expect(await logIn(`nobody${i}`, spelling, 'wrong')).toBe(400);
    }
    expect(await logIn('ada', '198.51.100.7:50005')).toBe(429);
    expect(await logIn('ada', '198.51.100.8:50005')).toBe(200);
    const seen = events.flatMap((event) => ('clientAddress' in event ? [event] : []));
    expect(addressesOf(seen)).toEqual(['198.51.100.7', '198.51.100.8']);
  });

  it('is recognised with another port, so that its user can log in while strangers guess', async () => {
    const { logIn } = await start(listener);
    expect(await logIn('ada', '[2001:db8:1:2::3]:50001')).toBe(200);
    for (let i = 0; i < 10; i += 1) await logIn('ada', `203.0.113.${i}`, 'wrong');
    expect(await logIn('ada', '203.0.113.99')).toBe(429);
    expect(await logIn('ada', '[2001:db8:1:2:9:9:9:9]:50002')).toBe(200);
  });

  it('counts as one unknown address if malformed', async () => {
    const { auth, logIn } = await start(listener);
    for (const [i] of SPELLINGS.entries()) await logIn(`nobody${i}`, `_hidden${i}`, 'wrong');
    expect(await logIn('ada', 'x'.repeat(4096))).toBe(429);
    expect(await logIn('ada', 'unknown')).toBe(429);
    expect(await logIn('ada', '203.0.113.99')).toBe(200);
    expect(addressesOf(await auth.sessions.list('ada'))).toEqual(['203.0.113.99']);
  });

  it('causes a warning once if it is missing, as on a Unix socket without a proxy', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    const folder = await temporaryFolder();
    const { auth, logIn } = await start(listener, join(folder, 'app.sock'));
    for (let i = 0; i < 20; i += 1) expect(await logIn(`no${i}`, undefined, 'x')).toBe(400);
    expect(await logIn('ada')).toBe(200);
    expect(addressesOf(await auth.sessions.list('ada'))).toEqual([null]);
    expect(warned.mock.calls.map(([, details]) => details)).toEqual([
      { type: 'LatchhookWarning', code: 'LATCHHOOK_ADDRESS' },
    ]);
    expect(await logIn('ada', '203.0.113.99:1')).toBe(200);
    expect(addressesOf(await auth.sessions.list('ada'))).toEqual(['203.0.113.99', null]);
  });
});

it('a clientAddress that the host supplies is normalised in events and sessions', async () => {
  const { auth, events } = await start(inExpress(express));
  const client = { clientAddress: '"[2001:DB8::7]:443"', userAgent: null, token: 'secret' };
  const login = await auth.login('ada', { amr: ['email'] }, client);
  expect(login.outcome).toBe('issued');
  const [session] = await auth.sessions.list('ada');
  expect(session?.clientAddress).toBe('2001:db8::7');
  await auth.sessions.revokeOthers('ada', session?.sessionId ?? '', client);
  await auth.sessions.revoke('ada', session?.sessionId ?? '', client);
  await auth.sessions.revokeAll('ada', client);
  await auth.factors.unlock('ada', client);
  await auth.factors.remove('ada', client);
  await auth.personalAccessTokens.revokeAll('ada', client);
  const url = 'https://hooks.example.com/';
  const made = await auth.webhooks.create(1, { event: 'Contact.Added', url }, client);
  expect(made.outcome).toBe('created');
  expect(events.length).toBeGreaterThanOrEqual(8);
  for (const event of events) {
    expect(event).toMatchObject({ clientAddress: '2001:db8::7' });
    expect(event).not.toHaveProperty('token');
  }
});

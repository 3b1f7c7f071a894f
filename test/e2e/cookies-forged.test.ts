import { type Auth, toFetchHandler } from '@latchhook/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpResponse, RequestToSend } from '../hosts/send-request.ts';
import { ISSUER, startTestApp, type TestApp } from '../support/apps/test-app.ts';
import {
  ACCESS,
  type HeaderFields,
  OWN,
  openCookiePage,
  REFRESH,
} from '../support/clients/cookie-page.ts';
import {
  errorOf,
  pendingChallenge,
  refresh,
  session,
  tokensOf,
  totp,
} from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';

const APP_ORIGIN = 'https://app.example.com';
const HEADER = { 'latchhook-session': 'cookie' };

/** Headers that a foreign page can make a browser send; here the browser also sends the cookies. */
const ATTACKS: readonly (readonly [name: string, headers: HeaderFields])[] = [
  ['a form of another site', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
  ['a form of a page whose origin is hidden', { origin: 'null' }],
  ['a script of the app without the header', { origin: ISSUER, 'sec-fetch-site': 'same-origin' }],
  ['a script of another origin', { ...HEADER, origin: 'https://evil.test' }],
  ['a script whose origin is hidden', { ...HEADER, origin: 'null' }],
  ['a script of a sibling subdomain', { ...HEADER, origin: 'https://evil.example.com' }],
  ['a script of another port', { ...HEADER, origin: `${ISSUER}:8443` }],
  ['a script of another scheme', { ...HEADER, origin: 'http://api.example.com' }],
  [
    'a script of an origin that only begins like ours',
    { ...HEADER, origin: `${ISSUER}.evil.test` },
  ],
  ['a script with two origins', { ...HEADER, origin: `${ISSUER}, https://evil.test` }],
  [
    'a script of a foreign origin with sec-fetch-site: same-origin',
    { ...HEADER, origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' },
  ],
  [
    'a script of an allowed origin of another site, where browsers keep no cookies',
    { ...HEADER, origin: APP_ORIGIN, 'sec-fetch-site': 'cross-site' },
  ],
  ['a script of a sibling subdomain without Origin', { ...HEADER, 'sec-fetch-site': 'same-site' }],
  ['a script of another site without Origin', { ...HEADER, 'sec-fetch-site': 'cross-site' }],
  ['a client without Origin and Sec-Fetch-Site', HEADER],
];

const OWN_PAGES: readonly (readonly [name: string, headers: HeaderFields])[] = [
  ['of the same origin', OWN],
  ['of an origin that the app allows', { ...OWN, origin: APP_ORIGIN }],
  [
    'of a subdomain that the app allows',
    { ...OWN, origin: APP_ORIGIN, 'sec-fetch-site': 'same-site' },
  ],
  ['of a browser that sends no origin', { ...HEADER, 'sec-fetch-site': 'same-origin' }],
];

function asksForCookies(headers: HeaderFields): boolean {
  return headers['latchhook-session'] === 'cookie';
}

/** Sends requests to a guarded route of a host on Fetch. */
function fetchSend(auth: Auth): TestApp['send'] {
  const handle = toFetchHandler(auth);
  return async ({
    method,
    path,
    headers: pairs = [],
    body,
  }: RequestToSend): Promise<HttpResponse> => {
    const headers = new Headers();
    for (let index = 0; index < pairs.length; index += 2) {
      headers.append(pairs[index] ?? '', pairs[index + 1] ?? '');
    }
    const request = new Request(`${ISSUER}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: String(body) }),
    });
    const response = (await handle(request)) ?? (await guarded(auth, request));
    return {
      status: response.status,
      statusText: '',
      headers: {
        ...Object.fromEntries(response.headers),
        'set-cookie': response.headers.getSetCookie(),
      },
      body: await response.text(),
    };
  };
}

async function guarded(auth: Auth, { method, headers }: Request): Promise<Response> {
  const head = { method, headers: Object.fromEntries(headers) };
  const authorization = headers.get('authorization') ?? undefined;
  const checked = await auth.bearer.check(authorization, { scope: 'user' }, head);
  if (checked.outcome === 'passed') return Response.json(checked.auth);
  const { status, headers: answered, body } = checked.response;
  return new Response(body, { status, headers: answered });
}

describe.each(['express', 'koa', 'fetch'] as const)('a request by cookie in %s', (framework) => {
  async function fixture() {
    const app = await startTestApp(
      { framework: framework === 'koa' ? 'koa' : 'express', storage: 'memory' },
      { auth: { cookies: { origins: [APP_ORIGIN] } } },
    );
    onTestFinished(() => app.stop());
    const page = openCookiePage(framework === 'fetch' ? fetchSend(app.auth) : app.send);
    await page.logIn('ada', { scopes: 'user,auth' });
    return { app, page };
  }

  describe.each(ATTACKS)('by %s', (_, headers) => {
    it('is rejected and has no effect', async () => {
      const { app, page } = await fixture();
      const challenge = await pendingChallenge(app);
      const before = new Map(page.jar);
      const events = app.events.length;
      const login = { username: 'alan@example.com', password: 'x' };
      const byToken = [
        await page.send('POST', '/token', { grant_type: 'refresh_token' }, headers),
        await page.send('PUT', '/token', {}, headers),
        await page.send('POST', '/token/revoke', {}, headers),
      ];
      const asks = asksForCookies(headers);
      // Without the header `Latchhook-Session` the cookies are ignored, so these requests lack a token.
      for (const response of byToken) {
        expect(errorOf(response, asks ? 403 : 400).error).toBe(
          asks ? 'access_denied' : 'invalid_request',
        );
      }
      const logins = async () => [
        await page.send('POST', '/token', login, headers),
        await page.send('POST', '/token/challenge', { challenge, code: totp(app) }, headers),
      ];
      const attacks = [
        ...(asks ? await logins() : []),
        await page.send('DELETE', '/users/self/sessions', undefined, headers),
        await page.send('POST', '/users/self/pats', { name: 'x', scopes: ['user'] }, headers),
        ...(await Promise.all(
          ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) =>
            page.send(method, '/me', undefined, headers),
          ),
        )),
      ];
      for (const response of attacks) {
        expect(errorOf(response, 403).error).toBe('access_denied');
        expect(response.headers['www-authenticate']).toBeUndefined();
      }
      expect(page.jar).toEqual(before);
      expect(app.events).toHaveLength(events);
      // The session is live, and was not refreshed by the attacks.
      expect((await page.refresh()).status).toBe(200);
      expect(app.events.at(-1)).toMatchObject({ type: 'session.refreshed', generation: 2 });
    });

    it('sets no cookies in a browser that has none', async () => {
      const { page } = await fixture();
      page.jar.clear();
      const { status } = await page.send(
        'POST',
        '/token',
        { username: 'ada@example.com', password: 'x' },
        headers,
      );
      expect(status).toBe(asksForCookies(headers) ? 403 : 400);
      expect(page.jar.size).toBe(0);
    });
  });

  it.each(OWN_PAGES)('is accepted from a page %s', async (_, headers) => {
    const { page } = await fixture();
    expect((await page.send('POST', '/me', {}, headers)).status).toBe(200);
    expect((await page.refresh(headers)).status).toBe(200);
    expect((await page.send('POST', '/token/revoke', {}, headers)).status).toBe(200);
    expect(page.jar.size).toBe(0);
  });

  it('may read without the header Latchhook-Session, but opens no WebSocket from a foreign origin', async () => {
    const { page } = await fixture();
    const upgrade = { upgrade: 'websocket' };
    expect((await page.send('GET', '/me', undefined, {})).status).toBe(200);
    const foreign = { ...upgrade, origin: 'https://evil.example.com' };
    expect((await page.send('GET', '/me', undefined, foreign)).status).toBe(403);
    const own = { ...upgrade, origin: ISSUER };
    expect((await page.send('GET', '/me', undefined, own)).status).toBe(200);
  });

  it('is rejected if it also has a bearer token, with either cookie or both', async () => {
    const { app, page } = await fixture();
    const { access_token } = await session(app);
    const headers = { ...OWN, authorization: `Bearer ${access_token}` };
    const jar = new Map(page.jar);
    for (const cookieNames of [[ACCESS, REFRESH], [ACCESS], [REFRESH]]) {
      page.jar.clear();
      for (const name of cookieNames) page.jar.set(name, jar.get(name) ?? '');
      for (const path of ['/me', '/users/self/sessions']) {
        const response = await page.send('GET', path, undefined, headers);
        expect(errorOf(response).error).toBe('invalid_request');
        expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_request"');
      }
      expect(errorOf(await page.refresh(headers)).error).toBe('invalid_request');
    }
    // HTTP Basic, which a proxy may require, is not a bearer token.
    const basic = { ...OWN, authorization: 'Basic dTpw' };
    for (const [name, value] of jar) page.jar.set(name, value);
    expect((await page.send('GET', '/me', undefined, basic)).status).toBe(200);
  });

  it('is rejected if it has a cookie twice', async () => {
    const { app, page } = await fixture();
    const { refresh_token } = await session(app);
    page.jar.set('x', `y; ${REFRESH}=${refresh_token}`);
    expect(errorOf(await page.send('GET', '/me')).error).toBe('invalid_request');
    expect(errorOf(await page.refresh()).error).toBe('invalid_request');
    expect((await refresh(app, refresh_token)).status).toBe(200);
  });

  it('is answered at /token like a request without cookies if it lacks the header Latchhook-Session', async () => {
    const { app, page } = await fixture();
    await app.auth.sessions.revokeAll('ada');
    const before = new Map(page.jar);
    const send = (path: string, body: object) => page.send('POST', path, body, { origin: ISSUER });
    const login = { username: 'alan@example.com', password: TEST_PASSWORD };
    const { refresh_token } = tokensOf(await send('/token', login));
    const grant = { grant_type: 'refresh_token', refresh_token };
    const renewed = tokensOf(await send('/token', grant));
    const challenge = await pendingChallenge(app);
    tokensOf(await send('/token/challenge', { challenge, code: totp(app) }));
    expect((await send('/token/revoke', { token: renewed.refresh_token })).status).toBe(200);
    expect(errorOf(await refresh(app, renewed.refresh_token)).error).toBe('invalid_grant');
    expect(page.jar).toEqual(before);
  });

  it('is rejected if the access cookie holds another kind of token', async () => {
    const { page } = await fixture();
    const creation = await page.send('POST', '/users/self/pats', { name: 'x', scopes: ['user'] });
    const { token } = JSON.parse(creation.body);
    for (const value of [token, page.jar.get(REFRESH), 'a.b.c', '', 'x'.repeat(9000)]) {
      page.jar.set(ACCESS, value);
      const response = await page.send('GET', '/me');
      expect(errorOf(response, 401).error).toBe('invalid_token');
    }
  });
});

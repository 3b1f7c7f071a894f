import { latchhook } from '@latchhook/express';
import express, { type RequestHandler } from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHost } from '../hosts/host.ts';
import { sendRequest } from '../hosts/send-request.ts';
import { startTestApp } from '../support/apps/test-app.ts';
import { ACCESS, openCookiePage, REFRESH, setCookies } from '../support/clients/cookie-page.ts';
import { BAD_TOKEN, expectRejected } from '../support/clients/expect-rejected.ts';
import { errorOf, get, refresh } from '../support/clients/token-calls.ts';

describe.each(['express', 'koa'] as const)('a logout by cookies in %s', (framework) => {
  it.each([
    ['refresh', REFRESH],
    ['access', ACCESS],
  ])('ends the session if the %s token cannot be verified', async (_, unverifiable) => {
    const app = await startTestApp({ framework, storage: 'memory' }, { auth: { cookies: true } });
    onTestFinished(() => app.stop());
    const page = openCookiePage(app.send);
    await page.logIn();
    const { [ACCESS]: access = '', [REFRESH]: token = '' } = Object.fromEntries(page.jar);
    // The token no longer verifies, as after its secret or key was dropped.
    page.jar.set(unverifiable, `${page.jar.get(unverifiable)}A`);

    expect((await page.send('POST', '/token/revoke', {})).status).toBe(200);
    expect(page.jar.size).toBe(0);
    expectRejected(await get(app, '/users/self/sessions', access), BAD_TOKEN);
    expect(errorOf(await refresh(app, token)).error).toBe('invalid_grant');
    expect(app.events.filter(({ type }) => type === 'session.revoked')).toHaveLength(1);
  });
});

/** Adds a cookie to those of the response when the headers are written, as cookie-session does if a session changed. */
function addCookie(cookie: string): RequestHandler {
  return (_req, res, next) => {
    const writeHead = res.writeHead.bind(res) as (status: number, headers: object) => typeof res;
    const withCookie = (status: number, headers: object) => {
      const cookies = res.getHeader('set-cookie');
      if (Array.isArray(cookies)) cookies.push(cookie);
      return writeHead(status, headers);
    };
    Object.assign(res, { writeHead: withCookie });
    next();
  };
}

it('a logout sends no cookie that middleware added to the logout of somebody else', async () => {
  const app = await startTestApp(
    { framework: 'express', storage: 'memory' },
    { auth: { cookies: true } },
  );
  onTestFinished(() => app.stop());
  const listener = express().use(latchhook(app.auth));
  const changed = express().use(addCookie('session=ada'), listener);
  const host = { framework: 'Express', parser: 'none', reach: 'unread', mountPath: '' } as const;
  const answers: (readonly string[])[] = [];
  for (const one of [changed, listener]) {
    const { port, stop } = await startHost({ ...host, listener: () => one }, app.auth);
    onTestFinished(stop);
    const page = openCookiePage((request) => sendRequest(port, request));
    await page.logIn();
    answers.push(setCookies(await page.send('POST', '/token/revoke', {})));
  }
  const removals = [ACCESS, REFRESH].map((name) => expect.stringMatching(`^${name}=; Max-Age=0;`));
  expect(answers).toEqual([[...removals, 'session=ada'], removals]);
});

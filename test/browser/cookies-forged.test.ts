import { createServer } from 'node:http';
import type { Client } from '@latchhook/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort, listenOnFreePort } from '../support/servers/free-port.ts';
import { ADA, startClientApp } from '../support/tabs/client-app.ts';
import { hasChromium, openChromium } from '../support/tabs/open-chromium.ts';

/** A global of the app's page, for functions that run in the page. */
declare const client: Client;

/** The page of an attacker, which tries all forged requests that browsers allow. */
const attackOn = (api: string): string => `<!doctype html>
<title>Free kittens</title>
<iframe name="frame"></iframe>
<iframe sandbox="allow-forms allow-scripts" srcdoc="<form method=post action='${api}/token/revoke'></form><script>document.forms[0].submit()</script>"></iframe>
<form method="post" target="frame" action="${api}/token">
  <input name="grant_type" value="refresh_token">
</form>
<form method="post" target="frame" action="${api}/token/revoke"></form>
<form method="post" target="frame" action="${api}/me"></form>
<script type="module">
  const frame = document.querySelector('iframe');
  for (const form of document.forms) {
    form.submit();
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  }
  const body = new URLSearchParams({ grant_type: 'refresh_token' });
  for (const path of ['/token', '/token/revoke', '/me']) {
    const simple = { method: 'POST', credentials: 'include', mode: 'no-cors', body };
    await fetch('${api}' + path, simple).catch(() => {});
    const headers = { 'latchhook-session': 'cookie' };
    await fetch('${api}' + path, { ...simple, mode: 'cors', headers }).catch(() => {});
  }
  await fetch('${api}/users/self/sessions', { method: 'DELETE', credentials: 'include' }).catch(() => {});
  globalThis.done = true;
</script>`;

/** Serves a page on loopback, because Chromium lets no other page send requests to loopback. */
async function serve(page: string): Promise<number> {
  const server = createServer((_req, res) => {
    res.setHeader('content-type', 'text/html');
    res.end(page);
  });
  onTestFinished(() => void server.close());
  return listenOnFreePort(server);
}

describe.skipIf(!hasChromium)('a foreign page in Chromium', () => {
  it.each([
    ['of another site', 'http://evil.localhost', false],
    // A page on another port has another origin but the same site, so SameSite=Strict cookies are sent.
    ['of the same site', 'http://127.0.0.1', true],
  ])(
    'changes nothing with the cookies of a logged-in user if it is %s',
    async (_, host, isSameSite) => {
      const port = await freePort();
      const app = await startClientApp({
        port,
        auth: { cookies: true, baseUrl: `http://127.0.0.1:${port}`, environment: 'production' },
      });
      const { context, pages } = await openChromium(app.url, 1, 'cookie');
      await pages[0]?.evaluate((ada) => client.login(ada), ADA);
      const before = await context.cookies();
      expect(before).toHaveLength(2);
      const events = app.events.length;

      const url = `${host}:${await serve(attackOn(app.url))}/`;
      const attacker = await context.newPage();
      const responses: { readonly status: number; readonly hadCookies: boolean }[] = [];
      attacker.on('response', async (response) => {
        const request = response.request();
        if (request.method() !== 'POST') return;
        const { cookie } = await request.allHeaders();
        responses.push({ status: response.status(), hadCookies: cookie !== undefined });
      });
      await attacker.goto(url);
      await attacker.waitForFunction('globalThis.done');
      const byCookie = () => responses.filter(({ hadCookies }) => hadCookies);
      // Three forms and three simple requests of scripts; the request of the sandbox is not always reported.
      await expect
        .poll(() => (isSameSite ? byCookie() : responses).length)
        .toBeGreaterThanOrEqual(6);

      expect(new Set(byCookie().map(({ status }) => status))).toEqual(
        // Without the header the cookies are ignored, so a request without another credential is malformed.
        new Set(isSameSite ? [400, 403] : []),
      );
      for (const { status } of responses) expect([400, 401, 403]).toContain(status);
      expect(app.events).toHaveLength(events);
      expect(await context.cookies()).toEqual(before);
      expect(await pages[0]?.evaluate(async () => (await client.fetch('/me')).status)).toBe(200);
    },
  );
});

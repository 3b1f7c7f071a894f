import type { Client } from '@latchhook/client';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { TestAppOptions } from '../support/apps/test-app.ts';
import { ADA, EXPIRED_MS, refreshesOf, startClientApp } from '../support/tabs/client-app.ts';
import { hasChromium, openChromium, WITHOUT_LOCKS } from '../support/tabs/open-chromium.ts';

/** A global of the page, for functions that run in the page. */
declare const client: Client;
declare const document: { readonly cookie: string };
declare const localStorage: { clear(): void };
declare const sessionStorage: object;
declare const indexedDB: { databases(): Promise<readonly { readonly name?: string }[]> };
declare const caches: { keys(): Promise<readonly string[]> };

/** Tabs of a real browser in which a user has logged in by cookies. */
async function fixture(tabs: number, options: TestAppOptions['auth'] = {}, script = '') {
  const app = await startClientApp({
    auth: { cookies: true, baseUrl: 'http://127.0.0.1', ...options },
  });
  const browser = await openChromium(app.url, tabs, 'cookie', script);
  await browser.pages[0]?.evaluate((ada) => client.login(ada), ADA);
  await expect.poll(() => usersOf(browser.pages)).toEqual(Array(tabs).fill('ada'));
  return { app, ...browser };
}

const usersOf = (pages: readonly Page[]) =>
  Promise.all(pages.map((page) => page.evaluate(() => client.session()?.userId)));

const statusesOf = (pages: readonly Page[], requests = 20) =>
  Promise.all(
    pages.map((page) =>
      page.evaluate(
        (count) =>
          Promise.all(
            Array.from({ length: count }, async () => (await client.fetch('/me')).status),
          ),
        requests,
      ),
    ),
  );

/** Everything that a script can read: cookies, storages, globals and the responses to its requests. */
const dumped = (page: Page) =>
  page.evaluate(async () => {
    const visited = new Set<unknown>();
    const texts: string[] = [
      document.cookie,
      JSON.stringify({ ...localStorage, ...sessionStorage }),
    ];
    const look = (value: unknown, depth: number): void => {
      if (typeof value === 'string') texts.push(value);
      if (Object(value) !== value || depth > 4 || visited.has(value)) return;
      visited.add(value);
      for (const name of Object.getOwnPropertyNames(value)) {
        try {
          look((value as Record<string, unknown>)[name], depth + 1);
        } catch {
          // Some getters throw for this receiver.
        }
      }
    };
    look(globalThis, 0);
    for (const database of await indexedDB.databases()) texts.push(String(database.name));
    for (const name of await caches.keys()) texts.push(name);
    const headers = { 'content-type': 'application/json', 'latchhook-session': 'cookie' };
    for (const [method, path] of [
      ['POST', '/token'],
      ['PUT', '/token'],
      ['GET', '/me'],
    ] as const) {
      const body = method === 'GET' ? null : JSON.stringify({ grant_type: 'refresh_token' });
      const response = await fetch(path, { method, headers, body });
      texts.push(await response.text(), JSON.stringify([...response.headers]));
    }
    return texts.join('\n');
  });

describe.skipIf(!hasChromium)('a login by cookies in Chromium', () => {
  it('exposes no token to an injected script', async () => {
    const { context, pages } = await fixture(1);
    const before = await context.cookies();
    const text = await dumped(pages[0] as Page);
    expect(before.map(({ name, httpOnly }) => [name, httpOnly]).sort()).toEqual([
      ['__Host-latchhook-access', true],
      ['__Host-latchhook-refresh', true],
    ]);
    const secrets = [...before, ...(await context.cookies())].filter(({ httpOnly }) => httpOnly);
    const values = secrets.map(({ value }) => value);
    expect(new Set(values).size).toBeGreaterThan(3);
    expect(text).toContain('"sub":"ada"');
    for (const value of values) expect(text).not.toContain(value);
    const stored = (await pages[0]?.evaluate(() => JSON.stringify({ ...localStorage }))) ?? '';
    expect(stored).toContain('ada');
    expect(stored).not.toMatch(/token/i);
    // This also matches any JWT.
    expect(text).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  });

  it('refreshes once for a hundred requests in five tabs if the server has no grace', async () => {
    const { app, pages } = await fixture(5, { lifetimes: { refreshGraceSeconds: 0 } });
    for (const times of [1, 2, 3]) {
      app.clock.advance(EXPIRED_MS);
      expect(new Set((await statusesOf(pages)).flat())).toEqual(new Set([200]));
      expect(refreshesOf(app).requests).toBe(times);
    }
  });

  it('survives a refresh response that arrives after two refreshes of another tab, without Web Locks', async () => {
    const { app, context, pages } = await fixture(2, {}, WITHOUT_LOCKS);
    app.clock.advance(EXPIRED_MS);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isAsked = new Promise<void>((resolve) => {
      const holdOnce = async (route: Route): Promise<void> => {
        const response = await route.fetch();
        resolve();
        await released;
        await route.fulfill({ response });
      };
      void context.route(`${app.url}/token`, holdOnce, { times: 1 });
    });
    const late = statusesOf(pages.slice(0, 1), 1);
    await isAsked;
    const other = async (): Promise<void> => {
      await statusesOf(pages.slice(1), 1);
      app.clock.advance(EXPIRED_MS);
      await statusesOf(pages.slice(1), 1);
    };
    const others = other();
    // The second refresh waits for the first one, or overtakes it.
    await Promise.race([others, new Promise((resolve) => setTimeout(resolve, 3000))]);
    release();
    await Promise.all([late, others]);
    app.clock.advance(EXPIRED_MS);
    expect((await statusesOf(pages, 1)).flat()).toEqual([200, 200]);
    expect(app.events.map(({ type }) => type)).not.toContain('session.reused');
  });

  it('refreshes at most twice for a hundred requests in five tabs without Web Locks', async () => {
    const { app, pages } = await fixture(5, {}, WITHOUT_LOCKS);
    app.clock.advance(EXPIRED_MS);
    expect(new Set((await statusesOf(pages)).flat())).toEqual(new Set([200]));
    expect(refreshesOf(app).requests).toBeLessThanOrEqual(2);
    expect(await usersOf(pages)).toEqual(Array(5).fill('ada'));
  });

  it('survives dropped and late refresh responses, a closed tab and a reload', async () => {
    const { app, context, pages, open } = await fixture(3);
    const fates = ['drop', 'late', 'drop', 'late', 'late', 'drop'];
    await context.route(`${app.url}/token`, async (route) => {
      const fate = fates.pop();
      if (fate === undefined) return route.continue();
      // The server rotates the token.
      const response = await route.fetch();
      if (fate === 'drop') return route.abort();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return route.fulfill({ response });
    });
    for (let round = 0; round < 3; round += 1) {
      app.clock.advance(EXPIRED_MS);
      expect(new Set((await statusesOf(pages, 3)).flat())).toEqual(new Set([200]));
    }
    app.clock.advance(EXPIRED_MS);
    // This tab is closed while its refresh is on its way.
    fates.push('late');
    void pages[0]?.evaluate(() => client.fetch('/me')).catch(() => {});
    await pages.shift()?.close();
    await pages[0]?.reload();
    await pages[0]?.waitForFunction('globalThis.client');
    pages.push(await open());
    expect(new Set((await statusesOf(pages, 3)).flat())).toEqual(new Set([200]));
    expect(await usersOf(pages)).toEqual(['ada', 'ada', 'ada']);
    expect(app.events.map(({ type }) => type)).not.toContain('session.reused');
  });

  it('is recognised by a page that has only the cookies, as after a redirect from another login page', async () => {
    const { app, pages, open } = await fixture(1);
    await pages[0]?.evaluate(() => localStorage.clear());
    const page = await open();
    await expect.poll(() => usersOf([page])).toEqual(['ada']);
    expect(refreshesOf(app).requests).toBe(1);
    await page.evaluate(() => client.logout());
    await expect.poll(() => page.evaluate(() => client.session())).toBeNull();
  });

  it('ends in all tabs at logout, which removes the cookies', async () => {
    const { context, pages } = await fixture(3);
    expect(await pages[1]?.evaluate(() => client.logout())).toEqual({ outcome: 'success' });
    await expect
      .poll(() => Promise.all(pages.map((page) => page.evaluate(() => client.session()))))
      .toEqual([null, null, null]);
    expect(await context.cookies()).toEqual([]);
    expect((await statusesOf(pages, 1)).flat()).toEqual([401, 401, 401]);
  });

  it('makes getAccessToken() reject, because scripts have no token in cookie mode', async () => {
    const { pages } = await fixture(1);
    const tokenRequest = pages[0]?.evaluate(() => client.getAccessToken());
    await expect(tokenRequest).rejects.toThrow('Cookie mode: use client.fetch.');
  });
});

import type { Client } from '@latchhook/client';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { TestAppOptions } from '../support/apps/test-app.ts';
import { ADA, EXPIRED_MS, refreshesOf, startClientApp } from '../support/tabs/client-app.ts';
import { hasChromium, openChromium, WITHOUT_LOCKS } from '../support/tabs/open-chromium.ts';

/** A global of the page, for functions that run in the page. */
declare const client: Client;

/** Tabs of a real browser that share a login. */
async function fixture(options: TestAppOptions = {}, tabs = 5, script = '') {
  const app = await startClientApp(options);
  const browser = await openChromium(app.url, tabs, 'bearer', script);
  await browser.pages[0]?.evaluate((ada) => client.login(ada), ADA);
  await expect.poll(() => usersOf(browser.pages)).toEqual(Array(tabs).fill('ada'));
  return { app, ...browser };
}

const usersOf = (pages: readonly Page[]) =>
  Promise.all(pages.map((page) => page.evaluate(() => client.session()?.userId)));

const statusesOf = (pages: readonly Page[]) =>
  Promise.all(
    pages.map((page) =>
      page.evaluate(() =>
        Promise.all(Array.from({ length: 20 }, async () => (await client.fetch('/me')).status)),
      ),
    ),
  );

describe.skipIf(!hasChromium)('Chromium tabs that share a login', () => {
  it('refresh once for a hundred requests in five tabs if the server has no grace', async () => {
    const { app, pages } = await fixture({ auth: { lifetimes: { refreshGraceSeconds: 0 } } });
    for (const times of [1, 2, 3]) {
      app.clock.advance(EXPIRED_MS);
      expect(new Set((await statusesOf(pages)).flat())).toEqual(new Set([200]));
      expect(refreshesOf(app).requests).toBe(times);
    }
  });

  it('refresh at most twice for a hundred requests without Web Locks, and stay logged in', async () => {
    const { app, pages } = await fixture({}, 5, WITHOUT_LOCKS);
    for (const times of [1, 2]) {
      app.clock.advance(EXPIRED_MS);
      expect(new Set((await statusesOf(pages)).flat())).toEqual(new Set([200]));
      const { rotations, requests } = refreshesOf(app);
      expect(rotations).toBe(times);
      expect(requests).toBeLessThanOrEqual(2 * times);
    }
  });

  it('are all logged out within a second after one of them logs out', async () => {
    const { pages } = await fixture();
    const changes = pages.map((page) =>
      page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            client.subscribe((session) => session === null && resolve(Date.now()));
          }),
      ),
    );
    const startedAtMs = await pages[2]?.evaluate(() => {
      const nowMs = Date.now();
      void client.logout();
      return nowMs;
    });
    for (const atMs of await Promise.all(changes)) {
      expect(atMs - (startedAtMs ?? 0)).toBeLessThan(1000);
    }
  });

  it('stay logged in after a tab is closed in the middle of a refresh that used up their token', async () => {
    const { app, context, pages } = await fixture({}, 3);
    app.clock.advance(EXPIRED_MS);
    let isHeld = false;
    const firstRotation = new Promise<void>((resolve) => {
      void context.route(`${app.url}/token`, async (route) => {
        if (isHeld) return route.continue();
        isHeld = true;
        // The server rotates the token, but the response does not arrive.
        await route.fetch();
        resolve();
      });
    });
    void pages[0]?.evaluate(() => client.fetch('/me')).catch(() => {});
    await firstRotation;
    const others = statusesOf(pages.slice(1));
    await pages[0]?.close();
    expect(new Set((await others).flat())).toEqual(new Set([200]));
    expect(refreshesOf(app).rotations).toBe(1);
  });

  it('are logged in after opening or reloading, without a refresh', async () => {
    const { app, pages, open } = await fixture({}, 1);
    const opened = await open();
    await pages[0]?.reload();
    for (const page of [opened, ...pages]) {
      await page.waitForFunction('globalThis.client');
      expect(await page.evaluate(() => client.session()?.userId)).toBe('ada');
      expect(await page.evaluate(async () => (await client.fetch('/me')).status)).toBe(200);
    }
    expect(refreshesOf(app).requests).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import { openBrowser, type Tab } from '../support/tabs/browser.ts';
import { ADA, EXPIRED_MS, refreshesOf, startClientApp } from '../support/tabs/client-app.ts';

/** Opens five tabs that share a login whose access token the server no longer accepts. */
async function openTabs(app: TestApp, { locks }: { readonly locks: boolean }): Promise<Tab[]> {
  const browser = openBrowser({ locks });
  const tabs = Array.from({ length: 5 }, () => browser.openTab({ baseUrl: app.url }));
  await tabs[0]?.client.login(ADA);
  await expect
    .poll(() => tabs.map(({ client }) => client.session()?.userId))
    .toEqual(Array(5).fill('ada'));
  app.clock.advance(EXPIRED_MS);
  return tabs;
}

/** Sends twenty parallel requests from each tab; resolves to the statuses. */
async function requestInAll(tabs: readonly Tab[]): Promise<Set<number>> {
  const requests = tabs.flatMap(({ client }) =>
    Array.from({ length: 20 }, () => client.fetch('/me')),
  );
  return new Set((await Promise.all(requests)).map(({ status }) => status));
}

const sessionsOf = (tabs: readonly Tab[]) => tabs.map(({ client }) => client.session());

describe('five tabs whose hundred requests are answered 401', () => {
  it('refresh once with Web Locks', async () => {
    const app = await startClientApp();
    const tabs = await openTabs(app, { locks: true });
    expect(await requestInAll(tabs)).toEqual(new Set([200]));
    expect(refreshesOf(app).requests).toBe(1);
  });

  it('refresh once with Web Locks if the server has no grace', async () => {
    const app = await startClientApp({ auth: { lifetimes: { refreshGraceSeconds: 0 } } });
    const tabs = await openTabs(app, { locks: true });
    expect(await requestInAll(tabs)).toEqual(new Set([200]));
    expect(refreshesOf(app).requests).toBe(1);
  });

  it('rotate the token once without Web Locks, in at most two refresh requests', async () => {
    const app = await startClientApp();
    const tabs = await openTabs(app, { locks: false });
    for (const times of [1, 2]) {
      expect(await requestInAll(tabs)).toEqual(new Set([200]));
      const { rotations, requests } = refreshesOf(app);
      expect(rotations).toBe(times);
      expect(requests).toBeLessThanOrEqual(2 * times);
      app.clock.advance(EXPIRED_MS);
    }
  });
});

it('all tabs are logged out after one logs out', async () => {
  const tabs = await openTabs(await startClientApp(), { locks: true });
  expect(await tabs[3]?.client.logout()).toEqual({ outcome: 'success' });
  await expect.poll(() => sessionsOf(tabs)).toEqual(Array(5).fill(null));
  expect((await tabs[0]?.client.fetch('/me'))?.status).toBe(401);

  await tabs[0]?.client.login(ADA);
  await expect.poll(() => tabs[4]?.client.session()).not.toBeNull();
});

it('all tabs are logged out after a request of one of them finds the session ended', async () => {
  const app = await startClientApp();
  const tabs = await openTabs(app, { locks: true });
  await app.auth.sessions.revokeAll('ada');
  expect((await tabs[1]?.client.fetch('/me'))?.status).toBe(401);
  await expect.poll(() => sessionsOf(tabs)).toEqual(Array(5).fill(null));
});

import type { ClientOptions } from '@latchhook/client';
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

describe.each([
  ['with Web Locks', true],
  ['without Web Locks', false],
])('two tabs of which one gets a response of /token late, %s,', (_, locks) => {
  const ALAN = { ...ADA, username: 'alan@example.com' };

  /** Two tabs of Ada. The response to the first request for tokens that they send is held. */
  async function fixture() {
    const app = await startClientApp();
    const sentTo: string[] = [];
    let release = (): void => {};
    let isHolding = false;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const options: ClientOptions = {
      baseUrl: app.url,
      async fetch(input, init) {
        sentTo.push(new URL(String(input)).pathname);
        const response = await fetch(input, init);
        if (isHolding && sentTo.at(-1) === '/token') {
          isHolding = false;
          await released;
        }
        return response;
      },
    };
    const browser = openBrowser({ locks });
    const [first, second] = [browser.openTab(options), browser.openTab(options)];
    await first.client.login(ADA);
    await expect.poll(() => second.client.session()?.userId).toBe('ada');
    sentTo.length = 0;
    isHolding = true;
    const users = () => [first, second].map(({ client }) => client.session()?.userId);
    return { app, first: first.client, second: second.client, sentTo, release, users };
  }

  it('do not let the late refresh overwrite a login in the other tab', async () => {
    const { app, first, second, sentTo, release, users } = await fixture();
    app.clock.advance(EXPIRED_MS);
    const late = first.fetch('/me');
    await expect.poll(() => sentTo).toEqual(['/me', '/token']);
    const login = second.login(ALAN);
    expect(sentTo).toEqual(['/me', '/token']);
    release();
    await Promise.all([late, login]);
    await expect.poll(users).toEqual(['alan', 'alan']);
    expect(await (await second.fetch('/me')).json()).toMatchObject({ userId: 'alan' });
  });

  it('do not let the late refresh undo a logout in the other tab', async () => {
    const { app, first, second, sentTo, release, users } = await fixture();
    app.clock.advance(EXPIRED_MS);
    const late = first.fetch('/me');
    await expect.poll(() => sentTo).toEqual(['/me', '/token']);
    const logout = second.logout();
    release();
    expect(await logout).toEqual({ outcome: 'success' });
    await late;
    await expect.poll(users).toEqual([undefined, undefined]);
    expect(await app.auth.sessions.list('ada')).toEqual([]);
  });

  it('keep a login of another user that was pending when the other tab logged out', async () => {
    const { app, first, second, sentTo, release, users } = await fixture();
    const login = first.login(ALAN);
    await expect.poll(() => sentTo).toEqual(['/token']);
    const logout = second.logout();
    release();
    expect(await logout).toEqual({ outcome: 'success' });
    expect(await login).toMatchObject({ outcome: 'success' });
    await expect.poll(users).toEqual(['alan', 'alan']);
    expect(await app.auth.sessions.list('ada')).toEqual([]);
    expect(await app.auth.sessions.list('alan')).toHaveLength(1);
  });

  it('end a login of the same user that was pending when the other tab logged out', async () => {
    const { app, first, second, sentTo, release, users } = await fixture();
    const login = first.login(ADA);
    await expect.poll(() => sentTo).toEqual(['/token']);
    const logout = second.logout();
    release();
    expect(await logout).toEqual({ outcome: 'success' });
    expect(await login).toMatchObject({ outcome: 'success' });
    await expect.poll(users).toEqual([undefined, undefined]);
    expect(await app.auth.sessions.list('ada')).toEqual([]);
  });
});

import { type ClientStorage, createClient, memoryStorage } from '@latchhook/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ADA, EXPIRED_MS, refreshesOf, startClientApp } from '../support/tabs/client-app.ts';

/** Browser APIs that React Native lacks, or that differ there. */
const MISSING = ['window', 'document', 'location', 'localStorage', 'navigator', 'BroadcastChannel'];

beforeEach(() => {
  for (const name of [...MISSING, 'addEventListener']) vi.stubGlobal(name, undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** A storage with asynchronous methods, which keeps its value when the app restarts. */
function keychain(): ClientStorage {
  const store = memoryStorage();
  const soon = () => new Promise(setImmediate);
  return {
    get: () => soon().then(store.get),
    set: (value) => soon().then(() => store.set(value)),
    remove: () => soon().then(store.remove),
  };
}

it('a client without browser APIs logs in, refreshes once, survives a restart and logs out', async () => {
  const app = await startClientApp();
  const storage = keychain();
  const client = createClient({ baseUrl: app.url, storage });
  expect(client.session()).toBeUndefined();
  await client.login(ADA);
  app.clock.advance(EXPIRED_MS);
  const responses = await Promise.all(Array.from({ length: 20 }, () => client.fetch('/me')));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(refreshesOf(app).requests).toBe(1);

  const started = createClient({ baseUrl: app.url, storage });
  await expect.poll(() => started.session()).toEqual(client.session());
  expect((await started.fetch('/me')).status).toBe(200);
  expect(await started.logout()).toEqual({ outcome: 'success' });
  expect(await storage.get()).toBeNull();
  expect(app.events.at(-1)).toMatchObject({ type: 'session.revoked' });
});

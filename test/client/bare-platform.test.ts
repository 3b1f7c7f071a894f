import { type ClientStorage, createClient, memoryStorage } from '@latchhook/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ADA, EXPIRED_MS, refreshesOf, startClientApp } from '../support/tabs/client-app.ts';

/** Browser APIs that React Native lacks, or that differ there. */
const MISSING = ['window', 'document', 'location', 'localStorage', 'navigator', 'BroadcastChannel'];

beforeEach(() => {
  for (const name of [...MISSING, 'addEventListener']) vi.stubGlobal(name, undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** A storage with asynchronous methods, which keeps its value when the app restarts. While locked, it rejects all. */
function keychain(): ClientStorage & { isLocked: boolean } {
  const store = memoryStorage();
  const soon = async (): Promise<void> => {
    await new Promise(setImmediate);
    if (keys.isLocked) throw new Error('the device is locked');
  };
  const keys: ReturnType<typeof keychain> = {
    isLocked: false,
    get: () => soon().then(store.get),
    set: (value) => soon().then(() => store.set(value)),
    remove: () => soon().then(store.remove),
  };
  return keys;
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

it('a client that starts while its storage is locked knows the session once the storage calls its listener', async () => {
  const app = await startClientApp();
  const storage = keychain();
  await createClient({ baseUrl: app.url, storage }).login(ADA);
  storage.isLocked = true;
  let onUnlock = (): void => {};
  const started = createClient({
    baseUrl: app.url,
    storage: {
      ...storage,
      subscribe(listener) {
        onUnlock = listener;
      },
    },
  });
  await expect(started.fetch('/me')).rejects.toThrow('the device is locked');
  expect(started.session()).toBeUndefined();
  storage.isLocked = false;
  onUnlock();
  await expect.poll(() => started.session()?.userId).toBe('ada');
});

describe('a logout while the storage is locked', () => {
  it('ends the session on the server, and removes the login at the next use', async () => {
    const app = await startClientApp();
    const storage = keychain();
    const client = createClient({ baseUrl: app.url, storage });
    await client.login(ADA);
    storage.isLocked = true;
    expect(await client.logout()).toEqual({ outcome: 'success' });
    expect(client.session()).toBeNull();
    expect(await app.auth.sessions.list('ada')).toEqual([]);
    storage.isLocked = false;
    expect(await client.getAccessToken()).toBeNull();
    expect(await storage.get()).toBeNull();
  });

  it('rejects and changes nothing if the login has never been read, and succeeds once it can be', async () => {
    const app = await startClientApp();
    const storage = keychain();
    await createClient({ baseUrl: app.url, storage }).login(ADA);
    storage.isLocked = true;
    const started = createClient({ baseUrl: app.url, storage });
    await expect(started.logout()).rejects.toThrow('the device is locked');
    expect(started.session()).toBeUndefined();
    storage.isLocked = false;
    expect(await started.logout()).toEqual({ outcome: 'success' });
    expect(await app.auth.sessions.list('ada')).toEqual([]);
    expect(await storage.get()).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { Scope } from '../scopes/scope.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { createPersonalAccessTokenCache } from './personal-access-token-cache.ts';

const HASH = 'hash-1';
/** How long the token lives. */
const TTL_MS = 60_000;
const STALE_MS = 10_000;
/** The interval at which a use is recorded. */
const TOUCH_MS = 60_000;
const REF = { userId: 'ada', tokenId: 'pat_1' };

/** A store that holds one token, and a cache of the store. */
async function setup(staleMs: number, scopes: readonly Scope[] = ['user']) {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const store = memoryStorage({ clock }).personalAccessTokens;
  const grant = { ...REF, name: 'x', prefix: 'lh_pat_xxxx', scopes, accountId: null };
  await store.create({ ...grant, tokenHash: HASH, ttlMs: TTL_MS }, { maxPerUser: 1 });
  return {
    clock,
    store,
    cache: createPersonalAccessTokenCache(store, { staleMs }, builtInScopes, clock),
  };
}

describe('a personal access token', () => {
  it('is not cached if staleMs is 0', async () => {
    const { cache } = await setup(0);
    expect(await cache.find(HASH)).toMatchObject(REF);
    expect(cache.findCached(HASH)).toBeUndefined();
  });

  it('is found in the cache until staleMs after the query to the storage, even if it was revoked', async () => {
    const { clock, store, cache } = await setup(STALE_MS);
    expect(cache.findCached(HASH)).toBeUndefined();
    await cache.find(HASH);
    await store.revoke(REF);
    clock.ms = STALE_MS - 1;
    expect(cache.findCached(HASH)).toMatchObject(REF);
    clock.ms = STALE_MS;
    expect(cache.findCached(HASH)).toBeUndefined();
    expect(await cache.find(HASH)).toBeNull();
  });

  it('ages in the cache from the start of the query to the storage, even if the query is slow', async () => {
    const { clock, store } = await setup(STALE_MS);
    const slowStore = {
      use: async (...args: Parameters<typeof store.use>) => {
        const record = await store.use(...args);
        clock.ms += STALE_MS;
        return record;
      },
    };
    const cache = createPersonalAccessTokenCache(
      slowStore,
      { staleMs: STALE_MS },
      builtInScopes,
      clock,
    );
    await cache.find(HASH);
    expect(cache.findCached(HASH)).toBeUndefined();
  });

  it('is not found in the cache once it has expired', async () => {
    const { clock, cache } = await setup(TTL_MS);
    clock.ms = TTL_MS - 1;
    await cache.find(HASH);
    clock.ms = TTL_MS;
    expect(cache.findCached(HASH)).toBeUndefined();
  });

  it.each<Scope>(['admin', 'internal'])('is not cached if it has the scope %s', async (scope) => {
    const { cache } = await setup(STALE_MS, ['user', scope]);
    expect(await cache.find(HASH)).toMatchObject(REF);
    expect(cache.findCached(HASH)).toBeUndefined();
  });

  it('is looked up again if the storage did not have it before', async () => {
    const { store, cache } = await setup(STALE_MS);
    expect(await cache.find('hash-2')).toBeNull();
    const grant = { ...REF, userId: 'alan', name: 'x', prefix: 'x', accountId: null };
    await store.create(
      { ...grant, scopes: ['user'], tokenHash: 'hash-2', ttlMs: TTL_MS },
      { maxPerUser: 1 },
    );
    expect(await cache.find('hash-2')).toMatchObject({ userId: 'alan' });
  });

  it('is recorded as used at most once a minute', async () => {
    const { clock, store, cache } = await setup(0);
    const usedAtMs = async () =>
      (await store.list('ada', { limit: 1, after: null }))[0]?.lastUsedAtMs;
    clock.ms = 1;
    await cache.find(HASH);
    clock.ms = TOUCH_MS - 1;
    await cache.find(HASH);
    expect(await usedAtMs()).toBe(1);
  });
});

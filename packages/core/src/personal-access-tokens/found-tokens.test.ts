import { describe, expect, it } from 'vitest';
import type { Scope } from '../scope.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { createFoundTokens } from './found-tokens.ts';

const HASH = 'hash-1';
const REF = { userId: 'ada', tokenId: 'pat_1' };

/** A store that holds one token for a minute, and what is found in it. */
async function setup(staleMs: number, scopes: readonly Scope[] = ['user']) {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const store = memoryStorage({ clock }).personalAccessTokens;
  const grant = { ...REF, name: 'x', prefix: 'lh_pat_xxxx', scopes, accountId: null };
  await store.create({ ...grant, tokenHash: HASH, ttlMs: 60_000 }, { maxPerUser: 1 });
  return { clock, store, found: createFoundTokens(store, { staleMs }, clock) };
}

describe('what was found of a token', () => {
  it('is forgotten at once where the host has chosen no staleness', async () => {
    const { found } = await setup(0);
    expect(await found.find(HASH)).toMatchObject(REF);
    expect(found.recall(HASH)).toBeUndefined();
  });

  it('is recalled for as long as the host allows, from when it was asked for', async () => {
    const { clock, store, found } = await setup(10_000);
    expect(found.recall(HASH)).toBeUndefined();
    await found.find(HASH);
    await store.revoke(REF);
    clock.ms = 9_999;
    expect(found.recall(HASH)).toMatchObject(REF);
    clock.ms = 10_000;
    expect(found.recall(HASH)).toBeUndefined();
    expect(await found.find(HASH)).toBeNull();
  });

  it('ages from before the storage was asked, however long that took', async () => {
    const { clock, store } = await setup(10_000);
    const slow = {
      use: async (...asked: Parameters<typeof store.use>) => {
        const record = await store.use(...asked);
        clock.ms += 10_000;
        return record;
      },
    };
    const found = createFoundTokens(slow, { staleMs: 10_000 }, clock);
    await found.find(HASH);
    expect(found.recall(HASH)).toBeUndefined();
  });

  it('ends with the token', async () => {
    const { clock, found } = await setup(60_000);
    clock.ms = 59_000;
    await found.find(HASH);
    clock.ms = 60_000;
    expect(found.recall(HASH)).toBeUndefined();
  });

  it.each<Scope>(['admin', 'internal'])('is not recalled for a token with %s', async (scope) => {
    const { found } = await setup(60_000, ['user', scope]);
    expect(await found.find(HASH)).toMatchObject(REF);
    expect(found.recall(HASH)).toBeUndefined();
  });

  it('is not remembered where it was nothing', async () => {
    const { store, found } = await setup(60_000);
    expect(await found.find('hash-2')).toBeNull();
    const grant = { ...REF, userId: 'alan', name: 'x', prefix: 'x', accountId: null };
    await store.create(
      { ...grant, scopes: ['user'], tokenHash: 'hash-2', ttlMs: 60_000 },
      { maxPerUser: 1 },
    );
    expect(await found.find('hash-2')).toMatchObject({ userId: 'alan' });
  });

  it('is recorded as a use once a minute', async () => {
    const { clock, store, found } = await setup(0);
    const usedAtMs = async () =>
      (await store.list('ada', { limit: 1, after: null }))[0]?.lastUsedAtMs;
    clock.ms = 1;
    await found.find(HASH);
    clock.ms = 59_999;
    await found.find(HASH);
    expect(await usedAtMs()).toBe(1);
  });
});

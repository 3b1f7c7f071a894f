import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { ofOneStore } from '../storage/store-origin.ts';
import { down, found, open, startupOf, unmarked, users } from './readiness-fixture.test.support.ts';

afterEach(() => vi.restoreAllMocks());

describe('an app that starts', () => {
  it('is ready, repeatedly, on our storage and on one without start-up checks', async () => {
    for (const storage of [memoryStorage(), unmarked()]) {
      const auth = open({ storage });
      await auth.ready();
      await auth.ready();
    }
  });

  it('lists all findings in one error', async () => {
    const storage = unmarked({ isLive: down });
    const failing = { ...users, findByUsername: down };
    expect(await found({ storage, users: failing })).toEqual([
      'users: users_unavailable',
      'storage: storage_unavailable',
    ]);
  });

  it('emits no fault when ready() rejects', async () => {
    const faults: string[] = [];
    const storage = unmarked({ isLive: down });
    await found({ storage, onSecurityEvent: ({ type }) => void faults.push(type) });
    expect(faults).toEqual([]);
  });

  it('looks up a random user name, and reports a user store that throws', async () => {
    const asked: string[] = [];
    const findByUsername = async (name: string) => {
      asked.push(name);
      return null;
    };
    await open({ users: { ...users, findByUsername } }).ready();
    expect(asked).toEqual([expect.stringMatching(/^[\w-]{22}@latchhook\.invalid$/)]);
    const throwing = () => {
      throw new Error('relation "users" does not exist');
    };
    expect(await found({ users: { ...users, findByUsername: throwing } })).toEqual([
      'users: users_unavailable',
    ]);
  });

  it('reports the findings of a store', async () => {
    const storage = memoryStorage();
    const startup = startupOf(storage);
    vi.spyOn(startup, 'findings').mockResolvedValue([
      { code: 'storage_not_migrated', message: 'run migrate' },
    ]);
    expect(await found({ storage })).toEqual(['storage: storage_not_migrated']);
  });

  it('asks each store for the findings of the parts that are used', async () => {
    const asked: unknown[] = [];
    const storeOf = (name: string) => {
      const whole = memoryStorage();
      const startup = startupOf(whole);
      vi.spyOn(startup, 'findings').mockImplementation(async (parts) => {
        asked.push([name, parts]);
        return [];
      });
      return ofOneStore({ name, startup }, whole);
    };
    const { sessions, challenges, limiters } = storeOf('a');
    const storage = { ...storeOf('b'), sessions, challenges, limiters };
    await open({ storage, personalAccessTokens: false }).ready();
    expect(asked).toEqual([
      ['a', ['sessions', 'challenges', 'limiters']],
      ['b', ['mfa']],
    ]);
  });
});

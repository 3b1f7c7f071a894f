import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { ofOneStore } from '../storage/store-origin.ts';
import {
  down,
  findingsOf,
  open,
  startupOf,
  storageWithoutOrigin,
  users,
} from './readiness-fixture.test.support.ts';

afterEach(() => vi.restoreAllMocks());

describe('ready() of an app', () => {
  it('can be called twice, on a storage with or without start-up checks', async () => {
    for (const storage of [memoryStorage(), storageWithoutOrigin()]) {
      const auth = open({ storage });
      await auth.ready();
      await auth.ready();
    }
  });

  it('rejects a misspelt option', async () => {
    const misspelt = { acceptDiferences: true } as object;
    await expect(open().ready(misspelt)).rejects.toThrow(/knows no "acceptDiferences"/);
  });

  it('reports an unavailable user store and an unavailable storage in one error', async () => {
    const storage = storageWithoutOrigin({ isLive: down });
    const failingUsers = { ...users, findByUsername: down };
    expect(await findingsOf({ storage, users: failingUsers })).toEqual([
      'users: users_unavailable',
      'storage: storage_unavailable',
    ]);
  });

  it('emits no fault when it rejects', async () => {
    const faults: string[] = [];
    const storage = storageWithoutOrigin({ isLive: down });
    await findingsOf({ storage, onSecurityEvent: ({ type }) => void faults.push(type) });
    expect(faults).toEqual([]);
  });

  it('tests the user store by looking up a random username', async () => {
    const usernames: string[] = [];
    const findByUsername = async (name: string) => {
      usernames.push(name);
      return null;
    };
    await open({ users: { ...users, findByUsername } }).ready();
    expect(usernames).toEqual([expect.stringMatching(/^[\w-]{22}@latchhook\.invalid$/)]);
  });

  it('reports users_unavailable if the user store throws', async () => {
    const findByUsername = () => {
      throw new Error('relation "users" does not exist');
    };
    expect(await findingsOf({ users: { ...users, findByUsername } })).toEqual([
      'users: users_unavailable',
    ]);
  });

  it('reports that a store is not migrated', async () => {
    const storage = memoryStorage();
    const startup = startupOf(storage);
    vi.spyOn(startup, 'findings').mockResolvedValue([
      { code: 'storage_not_migrated', message: 'run migrate' },
    ]);
    expect(await findingsOf({ storage })).toEqual(['storage: storage_not_migrated']);
  });

  it('asks each store only for the findings of the parts that the app uses', async () => {
    const calls: unknown[] = [];
    const storeOf = (name: string) => {
      const storage = memoryStorage();
      const startup = startupOf(storage);
      vi.spyOn(startup, 'findings').mockImplementation(async (parts) => {
        calls.push([name, parts]);
        return [];
      });
      return ofOneStore({ name, startup }, storage);
    };
    const { sessions, challenges, limiters } = storeOf('a');
    const storage = { ...storeOf('b'), sessions, challenges, limiters };
    await open({ storage, personalAccessTokens: false }).ready();
    expect(calls).toEqual([
      ['a', ['sessions', 'challenges', 'limiters']],
      ['b', ['mfa']],
    ]);
  });
});

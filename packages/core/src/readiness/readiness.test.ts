import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuthOptions } from '../auth-options.ts';
import { createAuth } from '../create-auth.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { ofOneStore, originOf } from '../storage/store-origin.ts';
import { NotReadyError } from './not-ready-error.ts';

const ISSUER = 'https://api.example.com';
const users = { findByUsername: async () => null, findById: async () => null };
const signing = generateSigningKey('ES256');
const refreshSecret = randomBytes(32);
const encryptionKey = randomBytes(32);
const keys = { signing, refreshSecrets: [refreshSecret], encryption: [encryptionKey] };

afterEach(() => vi.restoreAllMocks());

function open(options: Partial<AuthOptions> = {}) {
  const auth = createAuth({ issuer: ISSUER, users, keys, ...options });
  onTestFinished(() => auth.close());
  return auth;
}

/** The codes of what an app finds, with their parts. */
async function found(options: Partial<AuthOptions> = {}): Promise<readonly string[]> {
  const error: unknown = await open(options)
    .ready()
    .catch((thrown: unknown) => thrown);
  if (error === undefined) return [];
  if (!(error instanceof NotReadyError)) throw error;
  for (const { message } of error.findings) expect(error.message).toContain(message);
  return error.findings.map(({ part, code }) => `${part}: ${code}`);
}

const down = () => Promise.reject(new Error('connect ECONNREFUSED'));

/** A storage that does not say what it is. */
function unmarked(sessions: Partial<Storage['sessions']> = {}): Storage {
  const whole = memoryStorage();
  const copy = <Store extends object>(store: Store, change: Partial<Store> = {}): Store =>
    new Proxy(store, {
      get(target, name) {
        if (typeof name === 'symbol') return undefined;
        const member: unknown = Reflect.get(change, name) ?? Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  return {
    name: 'of the host',
    sessions: copy(whole.sessions, sessions),
    challenges: copy(whole.challenges),
  };
}

describe('an app that starts', () => {
  it('is ready, again and again, on a storage of ours and on one that says nothing', async () => {
    for (const storage of [memoryStorage(), unmarked()]) {
      const auth = open({ storage });
      await auth.ready();
      await auth.ready();
    }
  });

  it('lists all that it finds in one error', async () => {
    const storage = unmarked({ isLive: down });
    const failing = { ...users, findByUsername: down };
    expect(await found({ storage, users: failing })).toEqual([
      'users: users_unavailable',
      'storage: storage_unavailable',
    ]);
  });

  it('emits no fault, as it rejects', async () => {
    const faults: string[] = [];
    const storage = unmarked({ isLive: down });
    await found({ storage, onSecurityEvent: ({ type }) => void faults.push(type) });
    expect(faults).toEqual([]);
  });

  it('asks the users table for the name of nobody, and finds one that throws', async () => {
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

  it('passes on what a store says of itself', async () => {
    const storage = memoryStorage();
    const startup = originOf(storage.sessions)?.startup;
    if (startup === undefined) throw new Error('there is none');
    vi.spyOn(startup, 'findings').mockResolvedValue([
      { code: 'storage_not_migrated', message: 'run migrate' },
    ]);
    expect(await found({ storage })).toEqual(['storage: storage_not_migrated']);
  });

  it('asks each store of a storage for the parts that are used', async () => {
    const asked: unknown[] = [];
    const storeOf = (name: string) => {
      const whole = memoryStorage();
      const startup = originOf(whole.sessions)?.startup;
      if (startup === undefined) throw new Error('there is none');
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

describe('an app that starts beside another on one storage', () => {
  async function besideOther(other: Partial<AuthOptions>, own: Partial<AuthOptions> = {}) {
    const storage = memoryStorage();
    await open({ storage, ...other }).ready();
    return found({ storage, ...own });
  }
  const withKeys = (change: object) => ({ keys: { ...keys, ...change } });

  it('is ready if both have the same configuration', async () => {
    expect(await besideOther({})).toEqual([]);
  });

  it.each<[code: string, other: Partial<AuthOptions>]>([
    ['issuer_differs', { issuer: 'https://other.example.com', audience: ISSUER }],
    ['audience_differs', { audience: 'https://other.example.com' }],
    ['keys_signing_differ', withKeys({ signing: generateSigningKey('ES256') })],
    ['keys_refreshSecrets_differ', withKeys({ refreshSecrets: [randomBytes(32)] })],
    ['keys_encryption_differ', withKeys({ encryption: [randomBytes(32)] })],
  ])('finds %s', async (code, other) => {
    expect(await besideOther(other)).toEqual([`instances: ${code}`]);
  });

  it('finds one that asks for second factors where the other does not', async () => {
    const storage = memoryStorage();
    const { mfa: _, ...rest } = storage;
    await open({ storage: rest }).ready();
    expect(await found({ storage })).toEqual(['instances: storage_parts_differ']);
  });

  it('is ready at every step of a rotation', async () => {
    const newer = {
      signing: generateSigningKey('ES256'),
      refreshSecret: randomBytes(32),
      encryptionKey: randomBytes(32),
    };
    const both = (isNewerFirst: boolean) => {
      const ordered = <Key>(old: Key, young: Key) => (isNewerFirst ? [young, old] : [old, young]);
      return {
        keys: {
          signing: [signing, newer.signing],
          refreshSecrets: ordered(refreshSecret, newer.refreshSecret),
          encryption: ordered(encryptionKey, newer.encryptionKey),
        },
      };
    };
    const { refreshSecret: secret, encryptionKey: key } = newer;
    const after = { signing: newer.signing, refreshSecrets: [secret], encryption: [key] };
    expect(await besideOther({ keys }, both(false))).toEqual([]);
    expect(await besideOther(both(false), both(true))).toEqual([]);
    expect(await besideOther(both(true), { keys: after })).toEqual([]);
  });

  it('needs no encryption key where the other has one', async () => {
    const { encryption: _, ...rest } = keys;
    expect(await besideOther({}, { keys: rest })).toEqual([]);
  });

  it('tells no secret, in whatever form', async () => {
    const storage = memoryStorage();
    const startup = originOf(storage.sessions)?.startup;
    if (startup === undefined) throw new Error('there is none');
    const join = vi.spyOn(startup, 'join');
    await open({ storage }).ready();
    const told = JSON.stringify(join.mock.calls);
    for (const secret of [refreshSecret, encryptionKey]) {
      for (const form of ['base64', 'base64url', 'hex'] as const) {
        expect(told).not.toContain(secret.toString(form).slice(0, 20));
      }
    }
  });

  it('is ready if it is told to accept differences', async () => {
    const storage = memoryStorage();
    await open({ storage }).ready();
    await open({ storage, issuer: 'https://other.example.com' }).ready({ acceptDifferences: true });
  });

  it('does not count once it was refused, nor once it has closed', async () => {
    const storage = memoryStorage();
    const first = open({ storage });
    await first.ready();
    const other = { storage, issuer: 'https://other.example.com' };
    expect(await found(other)).toHaveLength(2);
    expect(await found({ storage })).toEqual([]);
  });

  it('counts as long as it runs, and a minute longer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    let nowMs = 0;
    const storage = memoryStorage({ clock: { nowMs: () => nowMs } });
    const other = { storage, issuer: 'https://other.example.com' };
    const running = open({ storage });
    await running.ready();
    for (let nth = 0; nth < 9; nth += 1) {
      nowMs += 20_000;
      await vi.advanceTimersByTimeAsync(20_000);
    }
    expect(await found(other)).toHaveLength(2);
    // It ends without a word.
    nowMs += 60_000;
    expect(await found(other)).toEqual([]);
  });
});

describe('secrets at rest that no key opens', () => {
  async function withFactor(sealedSecret: string) {
    const storage = memoryStorage();
    await storage.mfa.begin('ada', {
      sessionId: 's1',
      enrolmentId: 'e',
      sealedSecret,
      ttlMs: 60_000,
    });
    await storage.mfa.confirm('ada', { sessionId: 's1', enrolmentId: 'e', recoveryCodeHashes: [] });
    return storage;
  }

  it('are found, and keys that are missing', async () => {
    const storage = await withFactor('x'.repeat(80));
    expect(await found({ storage })).toEqual(['keys: encryption_key_unknown']);
    const { encryption: _, ...rest } = keys;
    const sealed = await withFactor(Buffer.from([1, ...randomBytes(60)]).toString('base64url'));
    expect(await found({ storage: sealed, keys: rest })).toEqual(['keys: encryption_key_missing']);
  });

  it('are not looked for where they may not be listed', async () => {
    const storage = memoryStorage();
    vi.spyOn(storage.mfa, 'listSealed').mockRejectedValue(new Error('NOPERM'));
    expect(await found({ storage })).toEqual([]);
  });
});

describe('the health of an app', () => {
  it('is good, and then not, as its storage is, without being ready before', async () => {
    let isDown = false;
    const storage = unmarked({ isLive: async () => (isDown ? down() : false) });
    const auth = open({ storage });
    expect(await auth.health()).toEqual({ ok: true, storage: 'ok', signingKey: 'ok' });
    isDown = true;
    expect(await auth.health()).toEqual({ ok: false, storage: 'unavailable', signingKey: 'ok' });
    isDown = false;
    expect((await auth.health()).ok).toBe(true);
  });

  it('is known within a second where a storage never answers', async () => {
    const auth = open({ storage: unmarked({ isLive: () => new Promise(() => {}) }) });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const health = auth.health();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await health).storage).toBe('unavailable');
  });

  it('is bad where every signing key has retired, and where a store throws at once', async () => {
    let nowMs = Date.parse('2026-01-01');
    const retiring = { key: signing, retiresAt: new Date('2026-02-01') };
    const auth = open({ keys: { ...keys, signing: retiring }, clock: { nowMs: () => nowMs } });
    expect((await auth.health()).ok).toBe(true);
    nowMs = Date.parse('2026-03-01');
    expect(await auth.health()).toEqual({ ok: false, storage: 'ok', signingKey: 'retired' });
    const isLive = () => {
      throw new Error('it is closed');
    };
    expect((await open({ storage: unmarked({ isLive }) }).health()).ok).toBe(false);
  });

  it('emits no fault', async () => {
    const events: string[] = [];
    const onSecurityEvent = ({ type }: { readonly type: string }) => void events.push(type);
    await open({ storage: unmarked({ isLive: down }), onSecurityEvent }).health();
    expect(events).toEqual([]);
  });
});

import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuthOptions } from '../auth-options.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import {
  encryptionKey,
  found,
  ISSUER,
  keys,
  open,
  refreshSecret,
  signing,
  startupOf,
} from './readiness-fixture.test.support.ts';

afterEach(() => vi.restoreAllMocks());

describe('an app that starts on the storage of another', () => {
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
    ['accounts_id_differs', { accounts: { id: 'string' } } as object],
    ['keys_signing_differ', withKeys({ signing: generateSigningKey('ES256') })],
    ['keys_refreshSecrets_differ', withKeys({ refreshSecrets: [randomBytes(32)] })],
    ['keys_encryption_differ', withKeys({ encryption: [randomBytes(32)] })],
  ])('reports %s', async (code, other) => {
    expect(await besideOther(other)).toEqual([`instances: ${code}`]);
  });

  it('reports storage_parts_differ if only one of them has second factors', async () => {
    const storage = memoryStorage();
    const { mfa: _, ...rest } = storage;
    await open({ storage: rest }).ready();
    expect(await found({ storage })).toEqual(['instances: storage_parts_differ']);
  });

  it('is ready at every step of a key rotation', async () => {
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

  it('is ready without an encryption key if the other has one', async () => {
    const { encryption: _, ...rest } = keys;
    expect(await besideOther({}, { keys: rest })).toEqual([]);
  });

  it('sends no secret to the storage, in any encoding', async () => {
    const storage = memoryStorage();
    const startup = startupOf(storage);
    const join = vi.spyOn(startup, 'join');
    await open({ storage }).ready();
    const told = JSON.stringify(join.mock.calls);
    for (const secret of [refreshSecret, encryptionKey]) {
      for (const form of ['base64', 'base64url', 'hex'] as const) {
        expect(told).not.toContain(secret.toString(form).slice(0, 20));
      }
    }
  });

  it('is ready with acceptDifferences even if the issuers differ', async () => {
    const storage = memoryStorage();
    await open({ storage }).ready();
    await open({ storage, issuer: 'https://other.example.com' }).ready({ acceptDifferences: true });
  });

  it('is not compared with an app that was rejected or has closed', async () => {
    const storage = memoryStorage();
    const first = open({ storage });
    await first.ready();
    const other = { storage, issuer: 'https://other.example.com' };
    expect(await found(other)).toHaveLength(2);
    expect(await found({ storage })).toEqual([]);
  });

  it('is compared with a running app, and for a minute with a killed one', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    let nowMs = 0;
    const storage = memoryStorage({ clock: { nowMs: () => nowMs } });
    const other = { storage, issuer: 'https://other.example.com' };
    const running = open({ storage });
    await running.ready();
    for (let i = 0; i < 9; i += 1) {
      nowMs += 20_000;
      await vi.advanceTimersByTimeAsync(20_000);
    }
    expect(await found(other)).toHaveLength(2);
    // It ends without a word.
    nowMs += 60_000;
    expect(await found(other)).toEqual([]);
  });
});

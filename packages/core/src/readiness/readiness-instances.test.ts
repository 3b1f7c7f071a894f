import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuthOptions } from '../auth-options.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import {
  encryptionKey,
  findingsOf,
  ISSUER,
  keys,
  open,
  refreshSecret,
  signing,
  startupOf,
} from './readiness-fixture.test.support.ts';

const RENEWAL_MS = 20_000;
const ENTRY_TTL_MS = 60_000;
/** The findings of an app with another issuer, which is also the default of `audience`. */
const DIFFERENT_ISSUER = ['instances: issuer_differs', 'instances: audience_differs'];

afterEach(() => vi.restoreAllMocks());

describe('an app that starts on the storage of another app', () => {
  /** The findings of an app that starts after another app on the same storage. */
  async function findingsAfter(other: Partial<AuthOptions>, own: Partial<AuthOptions> = {}) {
    const storage = memoryStorage();
    await open({ storage, ...other }).ready();
    return findingsOf({ storage, ...own });
  }
  const withKeys = (change: object) => ({ keys: { ...keys, ...change } });

  it('is ready if both apps have the same configuration', async () => {
    expect(await findingsAfter({})).toEqual([]);
  });

  it.each<[code: string, other: Partial<AuthOptions>]>([
    ['issuer_differs', { issuer: 'https://other.example.com', audience: ISSUER }],
    ['audience_differs', { audience: 'https://other.example.com' }],
    ['accounts_id_differs', { accounts: { id: 'string' } } as object],
    ['keys_signing_differ', withKeys({ signing: generateSigningKey('ES256') })],
    ['keys_refreshSecrets_differ', withKeys({ refreshSecrets: [randomBytes(32)] })],
    ['keys_encryption_differ', withKeys({ encryption: [randomBytes(32)] })],
  ])('reports %s if only that differs between the two apps', async (code, other) => {
    expect(await findingsAfter(other)).toEqual([`instances: ${code}`]);
  });

  it('reports storage_parts_differ if only one app has second factors', async () => {
    const storage = memoryStorage();
    const { mfa: _, ...storageWithoutMfa } = storage;
    await open({ storage: storageWithoutMfa }).ready();
    expect(await findingsOf({ storage })).toEqual(['instances: storage_parts_differ']);
  });

  it('is ready at every step of a key rotation', async () => {
    const [newSigning, newSecret, newEncryption] = [
      generateSigningKey('ES256'),
      randomBytes(32),
      randomBytes(32),
    ];
    const newKeyAdded = {
      signing: [signing, newSigning],
      refreshSecrets: [refreshSecret, newSecret],
      encryption: [encryptionKey, newEncryption],
    };
    const newKeyUsed = {
      signing: [signing, newSigning],
      refreshSecrets: [newSecret, refreshSecret],
      encryption: [newEncryption, encryptionKey],
    };
    const oldKeyRemoved = {
      signing: newSigning,
      refreshSecrets: [newSecret],
      encryption: [newEncryption],
    };
    expect(await findingsAfter({ keys }, { keys: newKeyAdded })).toEqual([]);
    expect(await findingsAfter({ keys: newKeyAdded }, { keys: newKeyUsed })).toEqual([]);
    expect(await findingsAfter({ keys: newKeyUsed }, { keys: oldKeyRemoved })).toEqual([]);
  });

  it('is ready without an encryption key if the other app has one', async () => {
    const { encryption: _, ...keysWithoutEncryption } = keys;
    expect(await findingsAfter({}, { keys: keysWithoutEncryption })).toEqual([]);
  });

  it('sends no secret to the storage, in any encoding', async () => {
    const storage = memoryStorage();
    const startup = startupOf(storage);
    const join = vi.spyOn(startup, 'join');
    await open({ storage }).ready();
    const sentText = JSON.stringify(join.mock.calls);
    for (const secret of [refreshSecret, encryptionKey]) {
      for (const form of ['base64', 'base64url', 'hex'] as const) {
        expect(sentText).not.toContain(secret.toString(form).slice(0, 20));
      }
    }
  });

  it('is ready with acceptDifferences even if the issuers differ', async () => {
    const storage = memoryStorage();
    await open({ storage }).ready();
    await open({ storage, issuer: 'https://other.example.com' }).ready({ acceptDifferences: true });
  });

  it('is not compared with an app that was not ready', async () => {
    const storage = memoryStorage();
    await open({ storage }).ready();
    const options = { storage, issuer: 'https://other.example.com' };
    expect(await findingsOf(options)).toEqual(DIFFERENT_ISSUER);
    expect(await findingsOf({ storage })).toEqual([]);
  });

  it('is compared with a running app, and with a killed app for a minute', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    let nowMs = 0;
    const storage = memoryStorage({ clock: { nowMs: () => nowMs } });
    const options = { storage, issuer: 'https://other.example.com' };
    await open({ storage }).ready();
    for (let i = 0; i < 9; i += 1) {
      nowMs += RENEWAL_MS;
      await vi.advanceTimersByTimeAsync(RENEWAL_MS);
    }
    expect(await findingsOf(options)).toEqual(DIFFERENT_ISSUER);
    // The running app is killed: its timers no longer renew the entry.
    nowMs += ENTRY_TTL_MS;
    expect(await findingsOf(options)).toEqual([]);
  });
});

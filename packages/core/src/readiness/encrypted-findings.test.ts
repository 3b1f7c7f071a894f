import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { findingsOf, keys } from './readiness-fixture.test.support.ts';

/** Version 1 of the format, an unknown key id, and random bytes. */
const BY_ANOTHER_KEY = Buffer.from([1, ...randomBytes(60)]).toString('base64url');

afterEach(() => vi.restoreAllMocks());

describe('encrypted secrets that no key decrypts', () => {
  async function withFactor(encryptedSecret: string) {
    const storage = memoryStorage();
    await storage.mfa.begin('ada', {
      sessionId: 's1',
      enrolmentId: 'e',
      encryptedSecret,
      ttlMs: 60_000,
    });
    await storage.mfa.confirm('ada', { sessionId: 's1', enrolmentId: 'e', recoveryCodeHashes: [] });
    return storage;
  }

  it('are reported as encryption_key_unknown if the app has another key', async () => {
    const storage = await withFactor(BY_ANOTHER_KEY);
    expect(await findingsOf({ storage })).toEqual(['keys: encryption_key_unknown']);
  });

  it('are reported as encryption_key_missing if the app has no key', async () => {
    const { encryption: _, ...keysWithoutEncryption } = keys;
    const storage = await withFactor(BY_ANOTHER_KEY);
    expect(await findingsOf({ storage, keys: keysWithoutEncryption })).toEqual([
      'keys: encryption_key_missing',
    ]);
  });

  it('are not reported if the storage denies the permission to list them', async () => {
    const storage = memoryStorage();
    vi.spyOn(storage.mfa, 'listEncrypted').mockRejectedValue(new Error('NOPERM'));
    expect(await findingsOf({ storage })).toEqual([]);
  });
});

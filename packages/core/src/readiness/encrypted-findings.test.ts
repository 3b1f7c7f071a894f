import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { found, keys } from './readiness-fixture.test.support.ts';

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

  it('are reported as an unknown or a missing encryption key', async () => {
    const storage = await withFactor('x'.repeat(80));
    expect(await found({ storage })).toEqual(['keys: encryption_key_unknown']);
    const { encryption: _, ...rest } = keys;
    const encrypted = await withFactor(Buffer.from([1, ...randomBytes(60)]).toString('base64url'));
    expect(await found({ storage: encrypted, keys: rest })).toEqual([
      'keys: encryption_key_missing',
    ]);
  });

  it('are not reported if the storage denies the permission to list them', async () => {
    const storage = memoryStorage();
    vi.spyOn(storage.mfa, 'listEncrypted').mockRejectedValue(new Error('NOPERM'));
    expect(await found({ storage })).toEqual([]);
  });
});

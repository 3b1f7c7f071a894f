import { describe, expect, it } from 'vitest';
import { createSecretCipher } from '../keys/secret-cipher.ts';
import { createSecretRing } from '../keys/secret-ring.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { User } from '../users/users.ts';
import { createEnrolledFactors } from './enrolled-factors.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { createFactorOf } from './user-factor.ts';

const NOW_MS = 1_795_182_015_000;
const ada: User = { id: 'ada', passwordHash: null, accounts: [] };
const withFactor: User = { ...ada, mfa: { totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' } };
const CODE = 'AAAABBBBCCCCDDDD';

function newStore() {
  const { mfa } = memoryStorage({ clock: { nowMs: () => NOW_MS } });
  if (mfa === undefined) throw new Error('the memory keeps no factors');
  return mfa;
}

function cipherOf(byte: number) {
  return createSecretCipher(createSecretRing([Buffer.alloc(32, byte)]), 'totp secret');
}

async function enrol(userId: string, encryptedSecret: string, store = newStore()) {
  await store.begin(userId, { sessionId: 's1', enrolmentId: 'e1', encryptedSecret, ttlMs: 1000 });
  const recoveryCodeHashes = [hashRecoveryCode(userId, CODE)];
  await store.confirm(userId, { sessionId: 's1', enrolmentId: 'e1', recoveryCodeHashes });
  return store;
}

describe('factorOf', () => {
  it('resolves to the factor of the user store, and does not query the storage', async () => {
    const consumedCodes: string[] = [];
    const userStore = {
      consumeRecoveryCode: async (_: string, code: string) => consumedCodes.push(code) > 0,
    };
    const enrolled = { find: () => Promise.reject(new Error('must not be called')) };
    const factor = await createFactorOf(userStore, enrolled)(withFactor);
    expect(factor).toMatchObject({ totpSecret: withFactor.mfa?.totpSecret, usedUpToStep: 0 });
    expect(await factor?.consumeRecoveryCode?.(CODE)).toBe(true);
    expect(consumedCodes).toEqual([CODE]);
  });

  it('resolves to a secret in upper case without spaces', async () => {
    const mfa = { totpSecret: 'gezd gnbv gy3t qojq' };
    expect(await createFactorOf({}, undefined)({ ...ada, mfa })).toMatchObject({
      totpSecret: 'GEZDGNBVGY3TQOJQ',
    });
  });

  it.each(['', 'not base32 !', 7 as never])(
    'rejects as unavailable if the user store has the malformed secret %j',
    async (totpSecret) => {
      const factor = createFactorOf({}, undefined)({ ...ada, mfa: { totpSecret } });
      await expect(factor).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    },
  );

  it('resolves to a factor without recovery codes if the user store has no consumeRecoveryCode', async () => {
    const factor = await createFactorOf({}, undefined)(withFactor);
    expect(factor && 'consumeRecoveryCode' in factor).toBe(false);
  });

  it('resolves to null if the storage keeps no factors, or if the user has enrolled none', async () => {
    expect(await createFactorOf({}, undefined)(ada)).toBeNull();
    const enrolled = createEnrolledFactors(newStore(), cipherOf(1));
    expect(await createFactorOf({}, enrolled)({ ...ada, mfa: null })).toBeNull();
  });

  it('resolves to the enrolled factor, which accepts each recovery code once', async () => {
    const store = newStore();
    const enrolled = createEnrolledFactors(store, cipherOf(1));
    await enrol('ada', enrolled.encrypt('ada', 'SECRET'), store);
    const factor = await createFactorOf({}, enrolled)(ada);
    expect(factor).toMatchObject({
      totpSecret: 'SECRET',
      usedUpToStep: Math.floor(NOW_MS / 30_000),
    });
    const uses = await Promise.all([1, 2, 3].map(() => factor?.consumeRecoveryCode?.(CODE)));
    expect(uses.filter((isUsed) => isUsed)).toHaveLength(1);
  });

  it.each([
    ['was encrypted for another user', (encrypt: (userId: string) => string) => encrypt('bob'), 1],
    ['cannot be decrypted by any key', (encrypt: (userId: string) => string) => encrypt('ada'), 2],
  ])('rejects with server_error if the enrolled secret %s', async (_, encryptWith, byte) => {
    const encrypt = (userId: string) =>
      createEnrolledFactors(newStore(), cipherOf(1)).encrypt(userId, 'S');
    const store = await enrol('ada', encryptWith(encrypt));
    const factorOf = createFactorOf({}, createEnrolledFactors(store, cipherOf(byte)));
    await expect(factorOf(ada)).rejects.toMatchObject({ code: 'server_error' });
  });
});

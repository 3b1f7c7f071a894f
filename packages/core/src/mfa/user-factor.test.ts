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

function storeOf() {
  const { mfa } = memoryStorage({ clock: { nowMs: () => NOW_MS } });
  if (mfa === undefined) throw new Error('the memory keeps no factors');
  return mfa;
}

function cipherOf(byte: number) {
  return createSecretCipher(createSecretRing([Buffer.alloc(32, byte)]), 'totp secret');
}

async function enrol(userId: string, encryptedSecret: string, store = storeOf()) {
  await store.begin(userId, { sessionId: 's1', enrolmentId: 'e1', encryptedSecret, ttlMs: 1000 });
  const recoveryCodeHashes = [hashRecoveryCode(userId, CODE)];
  await store.confirm(userId, { sessionId: 's1', enrolmentId: 'e1', recoveryCodeHashes });
  return store;
}

describe('the factor of a user', () => {
  it('is read from the user store, if it has one, without a query to the storage', async () => {
    const consumed: string[] = [];
    const userStore = {
      consumeRecoveryCode: async (_: string, code: string) => consumed.push(code) > 0,
    };
    const enrolled = { find: () => Promise.reject(new Error('asked')) };
    const factor = await createFactorOf(userStore, enrolled)(withFactor);
    expect(factor).toMatchObject({ totpSecret: withFactor.mfa?.totpSecret, usedUpToStep: 0 });
    expect(await factor?.consumeRecoveryCode?.(CODE)).toBe(true);
    expect(consumed).toEqual([CODE]);
  });

  it('of the user store is normalised to upper case without spaces', async () => {
    const mfa = { totpSecret: 'gezd gnbv gy3t qojq' };
    expect(await createFactorOf({}, undefined)({ ...ada, mfa })).toMatchObject({
      totpSecret: 'GEZDGNBVGY3TQOJQ',
    });
  });

  it('rejects as unavailable if the secret of the user store cannot be read', async () => {
    for (const totpSecret of ['', 'not base32 !', 7 as never]) {
      const asked = createFactorOf({}, undefined)({ ...ada, mfa: { totpSecret } });
      await expect(asked).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    }
  });

  it('of the user store has no recovery codes without consumeRecoveryCode', async () => {
    const factor = await createFactorOf({}, undefined)(withFactor);
    expect(factor && 'consumeRecoveryCode' in factor).toBe(false);
  });

  it('is null if enrolment is off, or if the user has not enrolled', async () => {
    expect(await createFactorOf({}, undefined)(ada)).toBeNull();
    const enrolled = createEnrolledFactors(storeOf(), cipherOf(1));
    expect(await createFactorOf({}, enrolled)({ ...ada, mfa: null })).toBeNull();
  });

  it('is the enrolled factor, with recovery codes that work once', async () => {
    const store = storeOf();
    const enrolled = createEnrolledFactors(store, cipherOf(1));
    await enrol('ada', enrolled.encrypt('ada', 'SECRET'), store);
    const factor = await createFactorOf({}, enrolled)(ada);
    expect(factor).toMatchObject({
      totpSecret: 'SECRET',
      usedUpToStep: Math.floor(NOW_MS / 30_000),
    });
    const uses = await Promise.all([1, 2, 3].map(() => factor?.consumeRecoveryCode?.(CODE)));
    expect(uses.filter((used) => used)).toHaveLength(1);
  });

  it.each([
    ['was encrypted for another user', (encrypt: (userId: string) => string) => encrypt('bob'), 1],
    ['cannot be decrypted by any key', (encrypt: (userId: string) => string) => encrypt('ada'), 2],
  ])('rejects with server_error if its secret %s', async (_, encrypted, byte) => {
    const encrypt = (userId: string) =>
      createEnrolledFactors(storeOf(), cipherOf(1)).encrypt(userId, 'S');
    const store = await enrol('ada', encrypted(encrypt));
    const factorOf = createFactorOf({}, createEnrolledFactors(store, cipherOf(byte)));
    await expect(factorOf(ada)).rejects.toMatchObject({ code: 'server_error' });
  });
});

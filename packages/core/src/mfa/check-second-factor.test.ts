import { describe, expect, it } from 'vitest';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { User } from '../users/users.ts';
import { createCheckSecondFactor, type LoginEvidence } from './check-second-factor.ts';
import { newEnrolmentId } from './enrolment-id.ts';

const ADA: User = { id: 'ada', passwordHash: null, accounts: [] };
const WITH_FACTOR: User = { ...ADA, mfa: { totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' } };

const BY_PASSWORD: LoginEvidence = { sessionId: 's1', amr: ['pwd'] };

function newStore(): MfaStore {
  const { mfa } = memoryStorage({ clock: { nowMs: () => 1_795_182_015_000 } });
  if (mfa === undefined) throw new Error('the memory keeps no factors');
  return mfa;
}

/** A store in which this session has enrolled a factor for Ada. */
async function storeEnrolledBy(sessionId: string, store = newStore()): Promise<MfaStore> {
  const enrolmentId = newEnrolmentId(sessionId);
  await store.begin('ada', { sessionId, enrolmentId, encryptedSecret: 'encrypted', ttlMs: 1000 });
  await store.confirm('ada', { sessionId, enrolmentId, recoveryCodeHashes: [] });
  return store;
}

const failingStore: Pick<MfaStore, 'find'> = { find: () => Promise.reject(new Error('down')) };

describe('the second factor', () => {
  it.each([
    ['a code of the app', ['pwd', 'otp']],
    ['a recovery code', ['pwd', 'mfa']],
  ])('is satisfied by %s, without a query of the storage', async (_, amr) => {
    const login = { ...BY_PASSWORD, amr };
    expect(await createCheckSecondFactor(failingStore)(ADA, login)).toBe('satisfied');
    expect(await createCheckSecondFactor(undefined)(WITH_FACTOR, login)).toBe('satisfied');
  });

  it('is required after a password if the user store has it, and the storage is not queried', async () => {
    expect(await createCheckSecondFactor(failingStore)(WITH_FACTOR, BY_PASSWORD)).toBe('required');
    expect(await createCheckSecondFactor(undefined)(WITH_FACTOR, BY_PASSWORD)).toBe('required');
  });

  it('is required of a password login that did not enrol it', async () => {
    const check = createCheckSecondFactor(await storeEnrolledBy('s2'));
    expect(await check(ADA, BY_PASSWORD)).toBe('required');
    expect(await check({ ...ADA, mfa: null }, BY_PASSWORD)).toBe('required');
  });

  it('is satisfied in the session that enrolled it', async () => {
    const store = await storeEnrolledBy('s1');
    expect(await createCheckSecondFactor(store)(ADA, BY_PASSWORD)).toBe('satisfied');
  });

  it('is required in a session whose own factor was replaced by another session', async () => {
    const store = await storeEnrolledBy('s1');
    await storeEnrolledBy('s2', store);
    expect(await createCheckSecondFactor(store)(ADA, BY_PASSWORD)).toBe('required');
  });

  it('is required if the user store has it, even in a session that enrolled another factor', async () => {
    const check = createCheckSecondFactor(await storeEnrolledBy('s1'));
    expect(await check(WITH_FACTOR, BY_PASSWORD)).toBe('required');
  });

  it('is reported as no_factor if the storage keeps no factors', async () => {
    expect(await createCheckSecondFactor(undefined)(ADA, BY_PASSWORD)).toBe('no_factor');
  });

  it('is reported as no_factor if the user has confirmed no enrolment', async () => {
    const store = await storeEnrolledBy('s2');
    const alan = { ...ADA, id: 'alan' };
    expect(await createCheckSecondFactor(store)(alan, BY_PASSWORD)).toBe('no_factor');
    await store.begin('alan', {
      sessionId: 's2',
      enrolmentId: newEnrolmentId('s2'),
      encryptedSecret: 'encrypted',
      ttlMs: 1000,
    });
    expect(await createCheckSecondFactor(store)(alan, BY_PASSWORD)).toBe('no_factor');
  });

  it('cannot be checked if the storage fails: the check rejects', async () => {
    await expect(createCheckSecondFactor(failingStore)(ADA, BY_PASSWORD)).rejects.toThrow('down');
  });
});

import { describe, expect, it } from 'vitest';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import type { User } from '../users/users.ts';
import { createCheckSecondFactor, type LoginEvidence } from './check-second-factor.ts';
import { newEnrolmentId } from './enrolment-id.ts';

const ADA: User = { id: 'ada', passwordHash: null, accounts: [] };
const WITH_FACTOR: User = { ...ADA, mfa: { totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' } };

const BY_PASSWORD: LoginEvidence = { sessionId: 's1', amr: ['pwd'] };

function storeOf(): MfaStore {
  const { mfa } = memoryStorage({ clock: { nowMs: () => 1_795_182_015_000 } });
  if (mfa === undefined) throw new Error('the memory keeps no factors');
  return mfa;
}

/** A store in which a login has enrolled a factor of Ada's. */
async function enrolledBy(sessionId: string, store = storeOf()): Promise<MfaStore> {
  const enrolmentId = newEnrolmentId(sessionId);
  await store.begin('ada', {
    sessionId: 's1',
    enrolmentId,
    encryptedSecret: 'encrypted',
    ttlMs: 1000,
  });
  await store.confirm('ada', { sessionId: 's1', enrolmentId, recoveryCodeHashes: [] });
  return store;
}

const unasked: Pick<MfaStore, 'find'> = { find: () => Promise.reject(new Error('asked')) };

describe('the second factor', () => {
  it.each([
    ['a code of the app', ['pwd', 'otp']],
    ['a recovery code', ['pwd', 'mfa']],
  ])('is satisfied by %s, without a query to the storage', async (_, amr) => {
    const login = { ...BY_PASSWORD, amr };
    expect(await createCheckSecondFactor(unasked)(ADA, login)).toBe('satisfied');
    expect(await createCheckSecondFactor(undefined)(WITH_FACTOR, login)).toBe('satisfied');
  });

  it('of the user store is required after a password, without a query to the storage', async () => {
    expect(await createCheckSecondFactor(unasked)(WITH_FACTOR, BY_PASSWORD)).toBe('required');
    expect(await createCheckSecondFactor(undefined)(WITH_FACTOR, BY_PASSWORD)).toBe('required');
  });

  it('is required of a password login that did not enrol it', async () => {
    const check = createCheckSecondFactor(await enrolledBy('s2'));
    expect(await check(ADA, BY_PASSWORD)).toBe('required');
    expect(await check({ ...ADA, mfa: null }, BY_PASSWORD)).toBe('required');
  });

  it('is satisfied in the session that enrolled it, until it is replaced', async () => {
    const store = await enrolledBy('s1');
    expect(await createCheckSecondFactor(store)(ADA, BY_PASSWORD)).toBe('satisfied');
    await enrolledBy('s2', store);
    expect(await createCheckSecondFactor(store)(ADA, BY_PASSWORD)).toBe('required');
  });

  it('of the user store is required even in a session that enrolled another factor', async () => {
    const check = createCheckSecondFactor(await enrolledBy('s1'));
    expect(await check(WITH_FACTOR, BY_PASSWORD)).toBe('required');
  });

  it('is absent if enrolment is off, or if the user has confirmed no enrolment', async () => {
    expect(await createCheckSecondFactor(undefined)(ADA, BY_PASSWORD)).toBe('no_factor');
    const store = await enrolledBy('s2');
    const alan = { ...ADA, id: 'alan' };
    expect(await createCheckSecondFactor(store)(alan, BY_PASSWORD)).toBe('no_factor');
    const begun = {
      sessionId: 's1',
      enrolmentId: newEnrolmentId('s2'),
      encryptedSecret: 'encrypted',
      ttlMs: 1000,
    };
    await store.begin('alan', begun);
    expect(await createCheckSecondFactor(store)(alan, BY_PASSWORD)).toBe('no_factor');
  });

  it('is not reported as absent if the storage fails', async () => {
    await expect(createCheckSecondFactor(unasked)(ADA, BY_PASSWORD)).rejects.toThrow('asked');
  });
});

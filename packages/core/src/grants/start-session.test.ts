import { describe, expect, it, vi } from 'vitest';
import { createSecretCipher } from '../keys/secret-cipher.ts';
import { createSecretRing } from '../keys/secret-ring.ts';
import { createEnrolledFactors } from '../mfa/enrolled-factors.ts';
import { createFactorOf } from '../mfa/user-factor.ts';
import type { LoginTransition } from '../storage/login-transition.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { NewLogin } from '../storage/session-store.ts';
import type { AnyUser } from '../users/users.ts';
import { createStartSession } from './start-session.ts';

const LIMITS = { maxPerUser: 10 };
const TOTP_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const ada: AnyUser = { id: 'ada', passwordHash: null, accounts: [] };
const adaWithFactor: AnyUser = { ...ada, mfa: { totpSecret: TOTP_SECRET } };
const byPassword: NewLogin = {
  userId: 'ada',
  sessionId: 's1',
  scopes: [],
  accountId: null,
  amr: ['pwd'],
  authTimeMs: 0,
  clientAddress: null,
  userAgent: null,
  idleMs: 60_000,
  absoluteMs: 60_000,
  loginAgeMs: 0,
};
const byCode: NewLogin = { ...byPassword, amr: ['pwd', 'otp'] };

/** Starts sessions in memory; `createUnlessEnrolled` makes the two calls that it replaces in other storages. */
function startSessionFixture() {
  const { sessions, mfa } = memoryStorage();
  if (mfa === undefined) throw new Error('the memory keeps no factors');
  const enrolled = createEnrolledFactors(
    mfa,
    createSecretCipher(createSecretRing([Buffer.alloc(32, 1)]), 'totp secret'),
  );
  const find = vi.spyOn(mfa, 'find');
  const inOneCall = vi.fn<LoginTransition['createUnlessEnrolled']>(async (session, limits) => {
    const factor = await mfa.find(session.userId);
    return factor === null ? sessions.create(session, limits) : { outcome: 'enrolled', factor };
  });
  const deps = { sessions, enrolled, factorOf: createFactorOf({}, enrolled) };
  return {
    find,
    inOneCall,
    withOneCall: createStartSession({
      ...deps,
      loginTransition: () => ({ createUnlessEnrolled: inOneCall }),
    }),
    withTwoCalls: createStartSession(deps),
    async enrol() {
      const encryptedSecret = enrolled.encrypt('ada', TOTP_SECRET);
      const enrolment = { sessionId: 's0', enrolmentId: 'e1' };
      await mfa.begin('ada', { ...enrolment, encryptedSecret, ttlMs: 1000 });
      await mfa.confirm('ada', { ...enrolment, recoveryCodeHashes: [] });
    },
  };
}

describe.each([
  ['one call', 'withOneCall'],
  ['two calls', 'withTwoCalls'],
] as const)('startSession by %s of the storage', (_, calls) => {
  it('creates the session of a user without a factor', async () => {
    const { [calls]: startSession } = startSessionFixture();
    expect(await startSession(ada, byPassword, LIMITS)).toMatchObject({
      outcome: 'created',
      session: { sessionId: 's1' },
    });
  });

  it.each([
    ['the storage', ada, true],
    ['the user store', adaWithFactor, false],
  ])('returns the factor that a user has in %s', async (_, user, isEnrolled) => {
    const { [calls]: startSession, enrol } = startSessionFixture();
    if (isEnrolled) await enrol();
    expect(await startSession(user, byPassword, LIMITS)).toMatchObject({
      outcome: 'has_factor',
      factor: { totpSecret: TOTP_SECRET },
    });
  });

  it('creates the session of a login that has proved the factor, without reading the factor', async () => {
    const { [calls]: startSession, find, inOneCall, enrol } = startSessionFixture();
    await enrol();
    expect(await startSession(ada, byCode, LIMITS)).toMatchObject({ outcome: 'created' });
    expect([find, inOneCall].map(({ mock }) => mock.calls)).toEqual([[], []]);
  });
});

it('startSession makes no call of the storage for a user with a factor in the user store', async () => {
  const { withOneCall, find, inOneCall } = startSessionFixture();
  await withOneCall(adaWithFactor, byPassword, LIMITS);
  expect([find, inOneCall].map(({ mock }) => mock.calls)).toEqual([[], []]);
});

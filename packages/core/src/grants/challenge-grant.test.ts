import { describe, expect, it, vi } from 'vitest';
import {
  answer,
  challenged,
  DEAD,
  methodsOf,
  pendingChallenge,
  RECOVERY_CODE,
} from './challenge-fixture.test.support.ts';
import {
  CLIENT,
  emitted,
  type GrantFixture,
  grantFixture,
  MANY_ACCOUNTS,
  rejectUnavailable,
  unavailable,
} from './grant-fixture.test.support.ts';

describe('the answer to a challenge', () => {
  it('begins a session with the account and the API version of the login', async () => {
    const fixture = grantFixture();
    const challenge = await challenged(fixture, { accountId: 2 });
    const authTimeMs = fixture.deps.clock.nowMs();
    fixture.turn(30_000);
    const { tokens, version } = await answer(fixture, challenge, { scopes: ['user', 'auth'] });
    expect(version).toBe('v1');
    expect(tokens.scopes).toEqual(['user', 'auth']);
    const [session] = await fixture.deps.sessions.list('ada');
    expect(session).toMatchObject({ accountId: 2, amr: ['pwd', 'otp'], authTimeMs, ...CLIENT });
    expect(fixture.events).toMatchObject([
      {
        type: 'login.succeeded',
        sessionId: session?.sessionId,
        accountId: 2,
        actor: 'user',
        ...CLIENT,
      },
    ]);
  });

  it('adds `otp` to the amr of the host, without `pwd`', async () => {
    const fixture = grantFixture();
    const challenge = await challenged(fixture, { amr: ['fed', 'kba'], actor: 'host' });
    await answer(fixture, challenge);
    const amr = ['fed', 'kba', 'otp'];
    expect(await fixture.deps.sessions.list('ada')).toMatchObject([{ amr }]);
    expect(fixture.events).toMatchObject([{ type: 'login.succeeded', amr, actor: 'host' }]);
  });

  it('is accepted once', async () => {
    const { fixture, challenge } = await pendingChallenge();
    await answer(fixture, challenge);
    fixture.turn(30_000);
    await expect(answer(fixture, challenge)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual(['login.succeeded', 'challenge.failed: gone']);
  });

  it('is rejected once the challenge has expired', async () => {
    const { fixture, challenge } = await pendingChallenge({ lifetimes: { challengeSeconds: 30 } });
    fixture.turn(30_000);
    await expect(answer(fixture, challenge)).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual(['challenge.failed: gone']);
  });

  it('by a recovery code begins a session with amr `mfa`', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const consumeRecoveryCode = vi.fn(async () => true);
    const factorOf = async () => ({ totpSecret: '', usedUpToStep: 0, consumeRecoveryCode });
    await answer(fixture, challenge, { code: RECOVERY_CODE.toLowerCase() }, { factorOf });
    expect(consumeRecoveryCode.mock.calls).toEqual([['AAAABBBBCCCCDDDD']]);
    const sessions = await fixture.deps.sessions.list('ada');
    expect(sessions).toMatchObject([{ amr: ['pwd', 'mfa'] }]);
  });
});

describe('the answer to a challenge whose login is no longer valid', () => {
  it.each<[reason: string, code: string, change: Parameters<GrantFixture['change']>[0]]>([
    ['password_changed', 'invalid_grant', { passwordChangedAtMs: Number.MAX_VALUE }],
    ['membership_lost', 'access_denied', { accounts: [1] }],
  ])('is rejected for %s even if its code is right', async (reason, code, change) => {
    const fixture = grantFixture();
    const challenge = await challenged(fixture, { accountId: 2 });
    fixture.change(change);
    await expect(answer(fixture, challenge)).rejects.toMatchObject({ code });
    expect(emitted(fixture)).toEqual([`challenge.failed: ${reason}`]);
    expect(await fixture.deps.sessions.list('ada')).toEqual([]);
  });

  it('is rejected if all sessions are revoked while the code is checked', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const { sessions } = fixture.deps;
    const consumeRecoveryCode = async () => {
      await sessions.revokeAll('ada');
      return true;
    };
    const factorOf = async () => ({ totpSecret: '', usedUpToStep: 0, consumeRecoveryCode });
    const rejected = answer(fixture, challenge, { code: RECOVERY_CODE }, { factorOf });
    await expect(rejected).rejects.toMatchObject(DEAD);
    expect(emitted(fixture)).toEqual(['challenge.failed: gone']);
    expect(await sessions.list('ada')).toEqual([]);
  });
});

describe('a user with more accounts than a token can hold', () => {
  it('completes no challenge for all accounts, and can reuse challenge and code', async () => {
    const { fixture, challenge } = await pendingChallenge();
    fixture.change({ accounts: MANY_ACCOUNTS });
    await expect(answer(fixture, challenge)).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.stringContaining('account_id'),
    });
    expect(emitted(fixture)).toEqual(['challenge.failed: too_many_accounts']);
    expect(await fixture.deps.sessions.list('ada')).toEqual([]);
    fixture.change({ accounts: [1, 2] });
    // Neither the challenge nor the code was used up.
    await answer(fixture, challenge);
    expect(await fixture.deps.sessions.list('ada')).toHaveLength(1);
  });

  it('completes the challenge of a login for one account', async () => {
    const fixture = grantFixture();
    const challenge = await challenged(fixture, { accountId: 7 });
    fixture.change({ accounts: MANY_ACCOUNTS });
    const { tokens } = await answer(fixture, challenge);
    expect(tokens.accounts).toEqual(MANY_ACCOUNTS);
    expect(await fixture.accessTokens.verify(tokens.accessToken)).toMatchObject({
      info: { accounts: [7], accountId: 7 },
    });
  });
});

describe('one code for two challenges at once', () => {
  it('completes one challenge; the other needs the next code', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const other = await challenged(fixture);
    const both = [challenge, other].map((each) => answer(fixture, each));
    const settled = await Promise.allSettled(both);
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([...emitted(fixture)].sort()).toEqual([
      'challenge.failed: step_used',
      'login.succeeded',
    ]);
    fixture.turn(30_000);
    const loser = settled[0]?.status === 'rejected' ? challenge : other;
    await answer(fixture, loser);
    expect(await fixture.deps.sessions.list('ada')).toHaveLength(2);
  });
});

describe('a storage that fails after a right code', () => {
  it('begins no session, and the same code works again', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const challenges = { ...methodsOf(fixture), complete: rejectUnavailable };
    await expect(answer(fixture, challenge, {}, { challenges })).rejects.toBe(unavailable);
    expect(emitted(fixture)).toEqual([]);
    await answer(fixture, challenge);
    expect(await fixture.deps.sessions.list('ada')).toHaveLength(1);
  });

  it('begins no second session if the first was stored but the response was lost', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const { complete, ...others } = methodsOf(fixture);
    const challenges = {
      ...others,
      complete: (async (request) => {
        await complete(request);
        throw unavailable;
      }) satisfies typeof complete,
    };
    await expect(answer(fixture, challenge, {}, { challenges })).rejects.toBe(unavailable);
    fixture.turn(30_000);
    await expect(answer(fixture, challenge)).rejects.toMatchObject(DEAD);
    expect(await fixture.deps.sessions.list('ada')).toHaveLength(1);
  });
});

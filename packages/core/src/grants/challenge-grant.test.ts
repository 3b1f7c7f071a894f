import { describe, expect, it, vi } from 'vitest';
import {
  answer,
  createChallenge,
  INVALID_CHALLENGE,
  methodsOf,
  pendingChallenge,
  RECOVERY_CODE,
  TOTP_STEP_MS,
} from './challenge-fixture.test.support.ts';
import {
  CLIENT,
  emittedEvents,
  type GrantFixture,
  grantFixture,
  MANY_ACCOUNTS,
  rejectUnavailable,
  unavailable,
} from './grant-fixture.test.support.ts';

describe('the answer to a challenge', () => {
  it('begins a session with the account and the API version of the login', async () => {
    const fixture = grantFixture();
    const challenge = await createChallenge(fixture, { accountId: 2 });
    const authTimeMs = fixture.deps.clock.nowMs();
    fixture.advance(TOTP_STEP_MS);
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

  it('adds `otp` to the amr of the host, and does not add `pwd`', async () => {
    const fixture = grantFixture();
    const challenge = await createChallenge(fixture, { amr: ['fed', 'kba'], actor: 'host' });
    await answer(fixture, challenge);
    const amr = ['fed', 'kba', 'otp'];
    expect(await fixture.deps.sessions.list('ada')).toMatchObject([{ amr }]);
    expect(fixture.events).toMatchObject([{ type: 'login.succeeded', amr, actor: 'host' }]);
  });

  it('is rejected with invalid_grant after it was accepted once', async () => {
    const { fixture, challenge } = await pendingChallenge();
    await answer(fixture, challenge);
    fixture.advance(TOTP_STEP_MS);
    await expect(answer(fixture, challenge)).rejects.toMatchObject(INVALID_CHALLENGE);
    expect(emittedEvents(fixture)).toEqual(['login.succeeded', 'challenge.failed: gone']);
  });

  it('is rejected with invalid_grant once the challenge has expired', async () => {
    const challengeSeconds = 30;
    const { fixture, challenge } = await pendingChallenge({ lifetimes: { challengeSeconds } });
    fixture.advance(1000 * challengeSeconds);
    await expect(answer(fixture, challenge)).rejects.toMatchObject(INVALID_CHALLENGE);
    expect(emittedEvents(fixture)).toEqual(['challenge.failed: gone']);
  });

  it('begins a session with amr `mfa` if it is a recovery code', async () => {
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
  it.each<[reason: string, code: string, change: Parameters<GrantFixture['changeUser']>[0]]>([
    ['password_changed', 'invalid_grant', { passwordChangedAtMs: Number.MAX_VALUE }],
    ['membership_lost', 'access_denied', { accounts: [1] }],
  ])('is rejected for %s even if its code is right', async (reason, code, change) => {
    const fixture = grantFixture();
    const challenge = await createChallenge(fixture, { accountId: 2 });
    fixture.changeUser(change);
    await expect(answer(fixture, challenge)).rejects.toMatchObject({ code });
    expect(emittedEvents(fixture)).toEqual([`challenge.failed: ${reason}`]);
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
    const rejection = answer(fixture, challenge, { code: RECOVERY_CODE }, { factorOf });
    await expect(rejection).rejects.toMatchObject(INVALID_CHALLENGE);
    expect(emittedEvents(fixture)).toEqual(['challenge.failed: gone']);
    expect(await sessions.list('ada')).toEqual([]);
  });
});

describe('a user with more accounts than a token can hold', () => {
  it('completes no challenge of a login for all accounts, and uses up neither challenge nor code', async () => {
    const { fixture, challenge } = await pendingChallenge();
    fixture.changeUser({ accounts: MANY_ACCOUNTS });
    await expect(answer(fixture, challenge)).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.stringContaining('account_id'),
    });
    expect(emittedEvents(fixture)).toEqual(['challenge.failed: too_many_accounts']);
    expect(await fixture.deps.sessions.list('ada')).toEqual([]);
    fixture.changeUser({ accounts: [1, 2] });
    await answer(fixture, challenge);
    expect(await fixture.deps.sessions.list('ada')).toHaveLength(1);
  });

  it('completes the challenge of a login for one account', async () => {
    const fixture = grantFixture();
    const challenge = await createChallenge(fixture, { accountId: 7 });
    fixture.changeUser({ accounts: MANY_ACCOUNTS });
    const { tokens } = await answer(fixture, challenge);
    expect(tokens.accounts).toEqual(MANY_ACCOUNTS);
    expect(await fixture.accessTokens.verify(tokens.accessToken)).toMatchObject({
      info: { accounts: [7], accountId: 7 },
    });
  });
});

describe('one code for two parallel challenges', () => {
  it('completes one challenge, while the other needs the next code', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const otherChallenge = await createChallenge(fixture);
    const answers = [challenge, otherChallenge].map((target) => answer(fixture, target));
    const settled = await Promise.allSettled(answers);
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([...emittedEvents(fixture)].sort()).toEqual([
      'challenge.failed: step_used',
      'login.succeeded',
    ]);
    fixture.advance(TOTP_STEP_MS);
    const rejectedChallenge = settled[0]?.status === 'rejected' ? challenge : otherChallenge;
    await answer(fixture, rejectedChallenge);
    expect(await fixture.deps.sessions.list('ada')).toHaveLength(2);
  });
});

describe('a storage fault after a right code', () => {
  it('leaves no session, and the same code works again', async () => {
    const { fixture, challenge } = await pendingChallenge();
    const challenges = { ...methodsOf(fixture), complete: rejectUnavailable };
    await expect(answer(fixture, challenge, {}, { challenges })).rejects.toBe(unavailable);
    expect(emittedEvents(fixture)).toEqual([]);
    await answer(fixture, challenge);
    expect(await fixture.deps.sessions.list('ada')).toHaveLength(1);
  });

  it('leads to no second session if the first was stored but the result was lost', async () => {
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
    fixture.advance(TOTP_STEP_MS);
    await expect(answer(fixture, challenge)).rejects.toMatchObject(INVALID_CHALLENGE);
    expect(await fixture.deps.sessions.list('ada')).toHaveLength(1);
  });
});

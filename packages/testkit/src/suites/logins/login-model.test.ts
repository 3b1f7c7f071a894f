import { expect, it } from 'vitest';
import { tryLogins } from '../../fixtures/login-fixture.ts';
import { expectLoginFaultsNoticed, inEveryCase } from '../../self-test/expect-suite-faults.ts';
import { faultyChallenges, faultySessions } from '../../self-test/faulty-storage.ts';
import { loginModel } from './login-model.ts';

/** Faults that no other suite notices: a transition affects another, to which it should be unrelated. */
const faulty = {
  'resets failed attempts on a logout': faultySessions((sessions, { challenges }) => ({
    revoke: async (ref) => {
      await challenges.unlock(ref.userId);
      return sessions.revoke(ref);
    },
  })),
  'ends pending challenges on unlock()': faultyChallenges((challenges, { sessions }) => {
    const unlocked = new Set<string>();
    return {
      create: async (challenge) => {
        unlocked.delete(challenge.userId);
        return challenges.create(challenge);
      },
      unlock: async (userId) => {
        unlocked.add(userId);
        await challenges.unlock(userId);
      },
      complete: async (request) => {
        const isForgotten = unlocked.has(request.userId);
        const hasSessions = (await sessions.list(request.userId)).length > 0;
        return isForgotten && hasSessions ? { outcome: 'gone' } : challenges.complete(request);
      },
    };
  }),
};

expectLoginFaultsNoticed(loginModel, inEveryCase(loginModel, faulty));

it('loginModel reports the step that differs, with the outcomes of the storage and the reference', async () => {
  const forgetful = faultySessions(() => ({ list: async () => [] }));
  const [title = ''] = Object.keys(loginModel.cases);
  const failure = tryLogins(forgetful, loginModel.cases[title] ?? (() => Promise.resolve()));
  await expect(failure).rejects.toThrow(
    /^step \d+, list user-\w+:\n {2}answered {2}\[\]\n {2}reference \[ \{ .*userId: 'user-.* \} \]\n {2}before it:\n(?: {4}step \d+, .+\n?){1,12}$/,
  );
});

import {
  type ChallengeStore,
  decideAttempt,
  decideChallengeCreation,
  decideCompletion,
  unlockFactor,
} from '@latchhook/core/storage';
import type { Items } from './items.ts';
import { olderBy } from './older-by.ts';
import { putChallenge, putSessions } from './put-items.ts';

/** Challenges and factor locks in SQLite, beside the sessions, so that `complete` is one transaction. */
export function sqliteChallengeStore(items: Items): ChallengeStore {
  return {
    async create(request) {
      const calledAtMs = items.nowMs();
      return items.transition((nowMs) => {
        const { userId, challengeId } = request;
        const challenge = items.find('challenge', userId, challengeId);
        const revokedAllAtMs = items.find('revocation', userId, '')?.atMs;
        const aged = olderBy(nowMs - calledAtMs, request);
        const found = { challenge, revokedAllAtMs };
        const { answer, change } = decideChallengeCreation(found, aged, nowMs);
        if (change !== null) {
          putChallenge(items, change);
          items.forgetSome(nowMs);
        }
        return answer;
      });
    },

    reserveAttempt: ({ userId, challengeId }, limits) =>
      items.transition((nowMs) => {
        const challenge = items.find('challenge', userId, challengeId);
        const factorLock = items.find('factorLock', userId, '');
        const { answer, change } = decideAttempt({ challenge, factorLock }, limits, nowMs);
        if (change !== null) {
          putChallenge(items, change.challenge);
          items.put('factorLock', userId, '', change.factorLock, null);
        }
        return answer;
      }),

    complete: (request) =>
      items.transition((nowMs) => {
        const { userId, challengeId } = request;
        const challenge = items.find('challenge', userId, challengeId);
        const factorLock = items.find('factorLock', userId, '');
        const sessions = items.list('session', userId);
        const found = { challenge, factorLock, sessions };
        const { answer, change } = decideCompletion(found, request, nowMs);
        if (change !== null) {
          putChallenge(items, change.challenge);
          items.put('factorLock', userId, '', change.factorLock, null);
          putSessions(items, change.sessions, nowMs);
          items.forgetSome(nowMs);
        }
        return answer;
      }),

    unlock: (userId) =>
      items.transition(() => {
        const factorLock = items.find('factorLock', userId, '');
        if (factorLock !== undefined)
          items.put('factorLock', userId, '', unlockFactor(factorLock), null);
      }),
  };
}

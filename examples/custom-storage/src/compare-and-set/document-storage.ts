import type { Clock } from '@latchhook/core';
import {
  CallDeadline,
  type ChallengeStore,
  decideAttempt,
  decideChallengeCreation,
  decideCompletion,
  decideRotation,
  decideSessionCreation,
  isSessionAlive,
  liveSessions,
  type SessionState,
  type SessionStore,
  type Storage,
  unlockFactor,
} from '@latchhook/core/storage';
import { olderBy } from '../older-by.ts';
import {
  endAllBut,
  type UserDocument,
  withChallenge,
  withoutWhatIsOver,
  withSessions,
} from './user-document.ts';
import { type Documents, UserTransitions } from './user-transitions.ts';

/**
 * Sessions and challenges on a store that only has compare-and-set: all of a user is one document.
 *
 * Concurrency: open one storage per process. Calls of two storages compete at the store, as those of two processes do.
 *
 * @param clock - the same for all processes: on several machines, that of the store.
 */
export function documentStorage(documents: Documents<UserDocument>, clock: Clock): Storage {
  const users = new UserTransitions(documents);
  return {
    name: 'documents',
    sessions: documentSessionStore(users, documents, clock),
    challenges: documentChallengeStore(users, clock),
  };
}

function documentSessionStore(
  users: UserTransitions<UserDocument>,
  documents: Documents<UserDocument>,
  clock: Clock,
): SessionStore {
  /** Reads only, and does not wait for transitions. */
  const look = async (userId: string): Promise<UserDocument> =>
    (await new CallDeadline('the store', 1000).bound(documents.find(userId))).state;

  const endAll = (userId: string, sparedId: string | null): Promise<void> =>
    users.run(userId, (user) => {
      return { answer: undefined, state: endAllBut(sparedId, user, clock.nowMs()) };
    });

  return {
    create(login, limits) {
      const calledAtMs = clock.nowMs();
      return users.run(login.userId, (user) => {
        const nowMs = clock.nowMs();
        const aged = olderBy(nowMs - calledAtMs, login);
        const { answer, change } = decideSessionCreation(user, aged, limits, nowMs);
        if (change === null) return { answer, state: user };
        return { answer, state: withoutWhatIsOver(withSessions(user, change), nowMs) };
      });
    },

    rotate: (request) =>
      users.run(request.userId, (user) => {
        const session = sessionOf(user, request.sessionId);
        const { answer, change } = decideRotation(session, request, clock.nowMs());
        return { answer, state: change === null ? user : withSessions(user, [change]) };
      }),

    async isLive({ userId, sessionId }) {
      const session = sessionOf(await look(userId), sessionId);
      return session !== undefined && isSessionAlive(session, clock.nowMs());
    },

    revoke: ({ userId, sessionId }) =>
      users.run(userId, (user) => {
        const session = sessionOf(user, sessionId);
        if (session === undefined) return { answer: false, state: user };
        const state = withSessions(user, [{ ...session, isEnded: true }]);
        return { answer: isSessionAlive(session, clock.nowMs()), state };
      }),

    revokeAll: (userId) => endAll(userId, null),

    revokeOthers: ({ userId, sessionId }) => endAll(userId, sessionId),

    async list(userId) {
      const { sessions } = await look(userId);
      return liveSessions(sessions, clock.nowMs()).map(({ record }) => record);
    },
  };
}

function documentChallengeStore(
  users: UserTransitions<UserDocument>,
  clock: Clock,
): ChallengeStore {
  return {
    create(request) {
      const calledAtMs = clock.nowMs();
      return users.run(request.userId, (user) => {
        const nowMs = clock.nowMs();
        const aged = olderBy(nowMs - calledAtMs, request);
        const found = withFound(user, request.challengeId);
        const { answer, change } = decideChallengeCreation(found, aged, nowMs);
        if (change === null) return { answer, state: user };
        return { answer, state: withoutWhatIsOver(withChallenge(user, change), nowMs) };
      });
    },

    reserveAttempt: ({ userId, challengeId }, limits) =>
      users.run(userId, (user) => {
        const found = withFound(user, challengeId);
        const { answer, change } = decideAttempt(found, limits, clock.nowMs());
        if (change === null) return { answer, state: user };
        const { challenge, factorLock } = change;
        return { answer, state: { ...withChallenge(user, challenge), factorLock } };
      }),

    complete: (request) =>
      users.run(request.userId, (user) => {
        const nowMs = clock.nowMs();
        const found = withFound(user, request.challengeId);
        const { answer, change } = decideCompletion(found, request, nowMs);
        if (change === null) return { answer, state: user };
        const { challenge, factorLock, sessions } = change;
        const used = { ...withChallenge(user, challenge), factorLock };
        return { answer, state: withoutWhatIsOver(withSessions(used, sessions), nowMs) };
      }),

    unlock: (userId) =>
      users.run(userId, (user) => {
        const factorLock = user.factorLock && unlockFactor(user.factorLock);
        return { answer: undefined, state: { ...user, factorLock } };
      }),
  };
}

function sessionOf(user: UserDocument, sessionId: string): SessionState | undefined {
  return user.sessions.find(({ record }) => record.sessionId === sessionId);
}

function withFound({ challenges, ...user }: UserDocument, challengeId: string) {
  const challenge = challenges.find((known) => known.challengeId === challengeId);
  return { ...user, challenge };
}

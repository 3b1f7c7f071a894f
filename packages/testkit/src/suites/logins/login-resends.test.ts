import type {
  ChallengeStore,
  CompleteOutcome,
  NewSession,
  SessionRecord,
  SessionStore,
} from '@latchhook/core/storage';
import { logIn } from '../../actions/log-in.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import {
  challengesThat,
  methodsOfChallenges,
  methodsOfSessions,
  sessionsThat,
  storageThat,
} from '../../self-test/faulty-storage.ts';
import { loginResends } from './login-resends.ts';

const completesOnce = challengesThat(({ challenges }) => {
  const answered = new Set<string>();
  return {
    complete: async (request) => {
      if (answered.has(request.challengeId)) return { outcome: 'gone' };
      answered.add(request.challengeId);
      return challenges.complete(request);
    },
  };
});

const answersAsBefore = challengesThat(({ challenges }) => {
  const answers = new Map<string, CompleteOutcome>();
  return {
    complete: async (request) => {
      const key = request.session.sessionId;
      const answer = answers.get(key) ?? (await challenges.complete(request));
      answers.set(key, answer);
      return answer;
    },
  };
});

/** Gives what is created again a new name, so that it begins again. */
function renaming() {
  const versions = new Map<string, number>();
  return {
    current: (id: string) => `${id} v${versions.get(id) ?? 0}`,
    original: (id: string) => id.replace(/ v\d+$/, ''),
    renew: (id: string) => {
      versions.set(id, (versions.get(id) ?? 0) + 1);
    },
  };
}

function sessionsThatRevive(sessions: SessionStore): SessionStore {
  const { current, original, renew } = renaming();
  const hidden = <Ref extends { sessionId: string }>(ref: Ref): Ref => ({
    ...ref,
    sessionId: current(ref.sessionId),
  });
  const shown = <Ref extends { sessionId: string }>(ref: Ref): Ref => ({
    ...ref,
    sessionId: original(ref.sessionId),
  });
  return {
    create: async (session, limits) => {
      if (!(await sessions.isLive(hidden(session)))) renew(session.sessionId);
      const answer = await sessions.create(hidden(session), limits);
      return 'session' in answer ? { ...answer, session: shown(answer.session) } : answer;
    },
    rotate: async (request) => {
      const answer = await sessions.rotate(hidden(request));
      return 'session' in answer ? { ...answer, session: shown(answer.session) } : answer;
    },
    isLive: (ref) => sessions.isLive(hidden(ref)),
    revoke: (ref) => sessions.revoke(hidden(ref)),
    revokeAll: (userId) => sessions.revokeAll(userId),
    revokeOthers: (kept) => sessions.revokeOthers(hidden(kept)),
    list: async (userId) => (await sessions.list(userId)).map(shown),
  };
}

/** @param isRenewed - Whether a repeated creation begins the challenge again. */
function challengesThatRenew(
  challenges: ChallengeStore,
  isRenewed: (isAnswered: boolean) => boolean,
): Partial<ChallengeStore> {
  const { current, renew } = renaming();
  const answered = new Set<string>();
  const hidden = <Ref extends { challengeId: string }>(ref: Ref): Ref => ({
    ...ref,
    challengeId: current(ref.challengeId),
  });
  return {
    create: (challenge) => {
      if (isRenewed(answered.has(challenge.challengeId))) renew(challenge.challengeId);
      return challenges.create(hidden(challenge));
    },
    reserveAttempt: (ref, limits) => challenges.reserveAttempt(hidden(ref), limits),
    complete: (request) => {
      answered.add(request.challengeId);
      return challenges.complete(hidden(request));
    },
  };
}

expectLoginFaultsNoticed(loginResends, {
  'creates one session if every command of a login is repeated': {
    'rejects a repeated complete()': completesOnce,
    'rotates again instead of replaying': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate({ ...request, rollForwardLimit: 0 });
        if (answer.outcome !== 'replayed') return answer;
        return sessions.rotate({ ...request, generation: answer.session.generation });
      },
    })),
  },
  'returns the existing session if create() is repeated': {
    'restarts the lifetime of the session': sessionsThat(({ sessions, clock }) => ({
      create: async (session, limits) => {
        const record = await logIn(sessions, session, limits);
        const expiresAtMs = clock.nowMs() + session.absoluteMs;
        return { outcome: 'created', session: { ...record, expiresAtMs } };
      },
    })),
    'replaces the scopes of the session': sessionsThat(({ sessions }) => ({
      create: async (session, limits) => {
        const { scopes } = session;
        const record = await logIn(sessions, session, limits);
        return { outcome: 'created', session: { ...record, scopes } };
      },
    })),
  },
  'does not revive an ended session if create() is repeated': {
    'forgets ended sessions': storageThat((storage) => ({
      ...storage,
      sessions: sessionsThatRevive(storage.sessions),
    })),
  },
  'leaves attempts, expiry and context of a challenge unchanged if create() is repeated': {
    'creates the challenge anew': challengesThat(({ challenges }) =>
      challengesThatRenew(challenges, () => true),
    ),
  },
  'does not revive an ended challenge if create() is repeated': {
    'forgets completed challenges': challengesThat(({ challenges }) =>
      challengesThatRenew(challenges, (isAnswered) => isAnswered),
    ),
  },
  'counts an attempt whose caller died': {
    'counts an attempt only when it has failed': challengesThat(({ challenges }) => ({
      reserveAttempt: async (ref, limits) => {
        const answer = await challenges.reserveAttempt(ref, limits);
        if (answer.outcome !== 'reserved') return answer;
        return { ...answer, attemptsRemaining: limits.perChallenge - 1 };
      },
    })),
    'resets the failures of the user': challengesThat(({ challenges }) => ({
      reserveAttempt: async (ref, limits) => {
        const answer = await challenges.reserveAttempt(ref, limits);
        await challenges.unlock(ref.userId);
        return answer.outcome === 'reserved' ? { ...answer, lockedUntilMs: null } : answer;
      },
    })),
  },
  'returns the session in its current state if complete() is repeated': {
    'rejects a repeated complete()': completesOnce,
    'returns the session even after the challenge has expired': challengesThat(({ challenges }) => {
      const sessions = new Map<string, SessionRecord>();
      return {
        complete: async (request) => {
          const answer = await challenges.complete(request);
          const { sessionId } = request.session;
          if (answer.outcome === 'completed') sessions.set(sessionId, answer.session);
          const session = sessions.get(sessionId);
          return session === undefined ? answer : { outcome: 'completed', session };
        },
      };
    }),
    'returns the first result again': answersAsBefore,
  },
  'returns the same session if complete() is repeated after another login of the user': {
    'remembers the last login of each user only': challengesThat(({ challenges }) => {
      let last: string | undefined;
      const answered = new Set<string>();
      return {
        complete: async (request) => {
          const { challengeId } = request;
          if (answered.has(challengeId) && challengeId !== last) return { outcome: 'gone' };
          answered.add(challengeId);
          last = challengeId;
          return challenges.complete(request);
        },
      };
    }),
  },
  'creates one session under 20 parallel calls of complete()': {
    'rejects a repeated complete()': completesOnce,
  },
  'does not revive a session ended meanwhile if complete() is repeated': {
    'returns the first result again': answersAsBefore,
    'creates the session again': storageThat((storage) => {
      const sessions = sessionsThatRevive(storage.sessions);
      const challenges = methodsOfChallenges(storage.challenges);
      const start = (session: NewSession) => logIn(sessions, { ...session, authenticationMs: 0 });
      return {
        ...storage,
        sessions: methodsOfSessions(sessions),
        challenges: {
          ...challenges,
          complete: async (request) => ({
            outcome: 'completed',
            session: await start(request.session),
          }),
        },
      };
    }),
  },
});

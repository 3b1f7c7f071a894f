import type {
  ChallengeStore,
  CompleteOutcome,
  SessionRecord,
  SessionStore,
} from '@latchhook/core/storage';
import { expectSession } from '../../actions/outcomes.ts';
import { AMPLE_LIMITS } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  faultyChallenges,
  faultyResults,
  faultySessions,
  faultyStorage,
} from '../../self-test/faulty-storage.ts';
import { loginRepeats } from './login-repeats.ts';

const completesOnce = faultyChallenges((challenges) => {
  const completed = new Set<string>();
  return {
    complete: async (request) => {
      if (completed.has(request.challengeId)) return { outcome: 'gone' };
      completed.add(request.challengeId);
      return challenges.complete(request);
    },
  };
});

const returnsFirstResult = faultyChallenges((challenges) => {
  const results = new Map<string, CompleteOutcome>();
  return {
    complete: async (request) => {
      const key = request.session.sessionId;
      const result = results.get(key) ?? (await challenges.complete(request));
      results.set(key, result);
      return result;
    },
  };
});

/** Stores an id under a new name after each `renew`, so that `create` finds nothing under the id. */
function createIdVersions() {
  const versions = new Map<string, number>();
  return {
    current: (id: string) => `${id} v${versions.get(id) ?? 0}`,
    original: (id: string) => id.replace(/ v\d+$/, ''),
    renew: (id: string) => {
      versions.set(id, (versions.get(id) ?? 0) + 1);
    },
  };
}

function reviveSessions(sessions: SessionStore): SessionStore {
  const { current, original, renew } = createIdVersions();
  const toStored = <Ref extends { sessionId: string }>(ref: Ref): Ref => ({
    ...ref,
    sessionId: current(ref.sessionId),
  });
  const toOriginal = <Ref extends { sessionId: string }>(ref: Ref): Ref => ({
    ...ref,
    sessionId: original(ref.sessionId),
  });
  return {
    create: async (session, limits) => {
      if (!(await sessions.isLive(toStored(session)))) renew(session.sessionId);
      const result = await sessions.create(toStored(session), limits);
      return 'session' in result ? { ...result, session: toOriginal(result.session) } : result;
    },
    rotate: async (request) => {
      const result = await sessions.rotate(toStored(request));
      return 'session' in result ? { ...result, session: toOriginal(result.session) } : result;
    },
    isLive: (ref) => sessions.isLive(toStored(ref)),
    revoke: (ref) => sessions.revoke(toStored(ref)),
    revokeAll: (userId) => sessions.revokeAll(userId),
    revokeOthers: (ref) => sessions.revokeOthers(toStored(ref)),
    list: async (userId) => (await sessions.list(userId)).map(toOriginal),
  };
}

/** @param isRenewed - Whether a repeated creation begins the challenge again. */
function renewChallenges(
  challenges: ChallengeStore,
  isRenewed: (isCompleted: boolean) => boolean,
): Partial<ChallengeStore> {
  const { current, renew } = createIdVersions();
  const completed = new Set<string>();
  const toStored = <Ref extends { challengeId: string }>(ref: Ref): Ref => ({
    ...ref,
    challengeId: current(ref.challengeId),
  });
  return {
    create: (challenge) => {
      if (isRenewed(completed.has(challenge.challengeId))) renew(challenge.challengeId);
      return challenges.create(toStored(challenge));
    },
    reserveAttempt: (ref, limits) => challenges.reserveAttempt(toStored(ref), limits),
    complete: (request) => {
      completed.add(request.challengeId);
      return challenges.complete(toStored(request));
    },
  };
}

expectLoginFaultsNoticed(loginRepeats, {
  'creates one session if every command of a login is repeated': {
    'rejects a repeated complete()': completesOnce,
    'rotates again instead of replaying': faultySessions((sessions) => ({
      rotate: async (request) => {
        const result = await sessions.rotate({ ...request, rollForwardLimit: 0 });
        if (result.outcome !== 'replayed') return result;
        return sessions.rotate({ ...request, generation: result.session.generation });
      },
    })),
  },
  'returns the existing session if create() is repeated': {
    'restarts the lifetime of the session': faultySessions((sessions, { clock }) => ({
      create: async (session, limits) => {
        const record = expectSession(await sessions.create(session, limits), 'created');
        const expiresAtMs = clock.nowMs() + session.absoluteMs;
        return { outcome: 'created', session: { ...record, expiresAtMs } };
      },
    })),
    'replaces the scopes of the session': faultySessions((sessions) => ({
      create: async (session, limits) => {
        const { scopes } = session;
        const record = expectSession(await sessions.create(session, limits), 'created');
        return { outcome: 'created', session: { ...record, scopes } };
      },
    })),
  },
  'does not revive an ended session if create() is repeated': {
    'forgets ended sessions': faultySessions(reviveSessions),
  },
  'changes nothing of a challenge if create() is repeated': {
    'creates the challenge again': faultyChallenges((challenges) =>
      renewChallenges(challenges, () => true),
    ),
  },
  'does not revive an ended challenge if create() is repeated': {
    'forgets completed challenges': faultyChallenges((challenges) =>
      renewChallenges(challenges, (isCompleted) => isCompleted),
    ),
  },
  'counts an attempt whose caller died': {
    'counts an attempt only when it has failed': faultyResults(
      'challenges',
      'reserveAttempt',
      (result, _ref, limits) =>
        result.outcome === 'reserved'
          ? { ...result, attemptsRemaining: limits.perChallenge - 1 }
          : result,
    ),
    'resets the failures of the user': faultyChallenges((challenges) => ({
      reserveAttempt: async (ref, limits) => {
        const result = await challenges.reserveAttempt(ref, limits);
        await challenges.unlock(ref.userId);
        return result.outcome === 'reserved' ? { ...result, lockedUntilMs: null } : result;
      },
    })),
  },
  'returns the session in its current state if complete() is repeated': {
    'rejects a repeated complete()': completesOnce,
    'returns the session even after the challenge has expired': faultyChallenges((challenges) => {
      const sessions = new Map<string, SessionRecord>();
      return {
        complete: async (request) => {
          const result = await challenges.complete(request);
          const { sessionId } = request.session;
          if (result.outcome === 'completed') sessions.set(sessionId, result.session);
          const session = sessions.get(sessionId);
          return session === undefined ? result : { outcome: 'completed', session };
        },
      };
    }),
    'returns the first result again': returnsFirstResult,
  },
  'returns the same session if complete() is repeated after another login': {
    'remembers the last login of each user only': faultyChallenges((challenges) => {
      let last: string | undefined;
      const completed = new Set<string>();
      return {
        complete: async (request) => {
          const { challengeId } = request;
          if (completed.has(challengeId) && challengeId !== last) return { outcome: 'gone' };
          completed.add(challengeId);
          last = challengeId;
          return challenges.complete(request);
        },
      };
    }),
  },
  'creates one session under 20 parallel calls of complete()': {
    'rejects a repeated complete()': completesOnce,
  },
  'does not revive a session that ended before complete() was repeated': {
    'returns the first result again': returnsFirstResult,
    'creates the session again': faultyStorage((reference) => {
      const sessions = reviveSessions(reference.sessions);
      const complete: ChallengeStore['complete'] = async (request) => {
        const login = { ...request.session, loginAgeMs: 0 };
        const created = await sessions.create(login, AMPLE_LIMITS);
        return { outcome: 'completed', session: expectSession(created, 'created') };
      };
      return { sessions, challenges: { ...reference.challenges, complete } };
    }),
  },
});

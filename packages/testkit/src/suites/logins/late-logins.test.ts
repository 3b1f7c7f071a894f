import type { Storage } from '@latchhook/core/storage';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { challengesThat, sessionsThat, storageThat } from '../../self-test/faulty-storage.ts';
import type { StorageHarness } from '../../storage-harness.ts';
import type { TurnableClock } from '../../time/turnable-clock.ts';
import { lateLogins } from './late-logins.ts';

/** Knows what was created under its own name, and gives it another once `isForgotten` says so. */
function forgetting(isForgotten: (atMs: number, clock: TurnableClock) => boolean): StorageHarness {
  return storageThat((storage, clock) => {
    const known = new Map<string, { atMs: number; nth: number }>();
    const named = (id: string) => {
      const { nth = 0 } = known.get(id) ?? {};
      return nth === 0 ? id : `${id} ${nth}`;
    };
    const renew = (id: string) => {
      const { atMs = clock.nowMs(), nth = 0 } = known.get(id) ?? {};
      known.set(id, { atMs, nth: isForgotten(atMs, clock) ? nth + 1 : nth });
    };
    const { sessions, challenges } = storage;
    const session = <Ref extends { sessionId: string }>(ref: Ref): Ref => ({
      ...ref,
      sessionId: named(ref.sessionId),
    });
    const challenge = <Ref extends { challengeId: string }>(ref: Ref): Ref => ({
      ...ref,
      challengeId: named(ref.challengeId),
    });
    const forgetful: Pick<Storage, 'sessions' | 'challenges'> = {
      sessions: {
        create: (login, limits) => {
          renew(login.sessionId);
          return sessions.create(session(login), limits);
        },
        rotate: (request) => sessions.rotate(session(request)),
        isLive: (ref) => sessions.isLive(session(ref)),
        revoke: (ref) => sessions.revoke(session(ref)),
        revokeAll: (userId) => sessions.revokeAll(userId),
        revokeOthers: (ref) => sessions.revokeOthers(session(ref)),
        list: (userId) => sessions.list(userId),
      },
      challenges: {
        create: (login) => {
          renew(login.challengeId);
          return challenges.create(challenge(login));
        },
        reserveAttempt: (ref, limits) => challenges.reserveAttempt(challenge(ref), limits),
        complete: (request) => challenges.complete(challenge(request)),
        unlock: (userId) => challenges.unlock(userId),
      },
    };
    return { ...storage, ...forgetful };
  });
}

const forgetsWhatHasExpired = {
  'forgets sessions and challenges when they expire': forgetting(
    (atMs, clock) => clock.nowMs() >= atMs + 1_000,
  ),
  'forgets sessions and challenges a second too early': forgetting(
    (atMs, clock) => clock.nowMs() >= atMs + 59_000,
  ),
};

const rememberingNone = {
  'ignores revokeAll()': sessionsThat(() => ({ revokeAll: async () => {} })),
  'creates stale challenges': challengesThat(({ challenges, clock }) => ({
    create: (challenge) => {
      clock.advance(challenge.authenticationMs);
      return challenges.create({ ...challenge, authenticationMs: 0 });
    },
  })),
};

/** Goes by the time of day, of which it keeps that of the last revocation. */
const keepsTheLast = sessionsThat(({ sessions, clock }) => {
  let revokedAtMs = 0;
  return {
    revokeAll: async () => {
      revokedAtMs = clock.nowMs();
    },
    create: async (login, limits) =>
      clock.nowMs() - login.authenticationMs <= revokedAtMs
        ? { outcome: 'stale_login' }
        : sessions.create(login, limits),
  };
});

expectLoginFaultsNoticed(lateLogins, {
  'does not recreate an ended session on a late command, even after its expiry':
    forgetsWhatHasExpired,
  'does not recreate an ended session on a late command after the clock was set back': {
    'forgets a session if the clock is before its creation': forgetting(
      (atMs, clock) => clock.nowMs() < atMs - 1_000,
    ),
  },
  'does not recreate a used or expired challenge on a late command': forgetsWhatHasExpired,
  'returns stale_login after revokeAll(), even if the clock was set back since': {
    ...rememberingNone,
    'ignores revocations later than the clock': sessionsThat(({ sessions, clock }) => {
      const openedAtMs = clock.nowMs();
      return {
        create: (login, limits) =>
          sessions.create(
            clock.nowMs() < openedAtMs ? { ...login, authenticationMs: 0 } : login,
            limits,
          ),
      };
    }),
  },
  'returns stale_login after two calls of revokeAll() with the clock set back in between': {
    ...rememberingNone,
    'keeps the wall-clock time of the last revocation only': keepsTheLast,
  },
});

import type { MfaStore, NewEnrolment } from '@latchhook/core/storage';
import { DAY_MS } from '../../samples/login-samples.ts';
import { ENROLLING } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyMfa, faultyResults } from '../../self-test/faulty-storage.ts';
import { unshared } from '../../self-test/reference.ts';
import { textFaults } from '../../self-test/text-faults.ts';
import { mfaEnrolment } from './mfa-enrolment.ts';

const ENDLESS_MS = Number.MAX_SAFE_INTEGER / 2;
const YEAR_MS = 365 * DAY_MS;

const beginsOnce = faultyMfa((mfa) => ({
  begin: async (userId, enrolment) => {
    const { sessionId } = enrolment;
    if ((await mfa.findPending(userId, sessionId)) === null) await mfa.begin(userId, enrolment);
  },
}));

/** Keeps enrolments pending for a changed time. */
function faultyTtls(change: (ttlMs: number) => number) {
  return faultyMfa((mfa) => ({
    begin: (userId, enrolment) =>
      mfa.begin(userId, { ...enrolment, ttlMs: change(enrolment.ttlMs) }),
  }));
}

/** Confirms the enrolment that is pending instead of the given one. */
const confirmsAnyPending = faultyMfa((mfa) => ({
  confirm: async (userId, confirmation) => {
    const pending = await mfa.findPending(userId, ENROLLING);
    return mfa.confirm(userId, { ...confirmation, ...pending });
  },
}));

/** Changes user ids, like a store that builds keys from them. */
function changeUserIds(read: (userId: string) => string) {
  return faultyMfa((mfa) => ({
    begin: (userId, enrolment) => mfa.begin(read(userId), enrolment),
    confirm: (userId, confirmation) => mfa.confirm(read(userId), confirmation),
    find: (userId) => mfa.find(read(userId)),
    findPending: (userId, sessionId) => mfa.findPending(read(userId), sessionId),
    consumeRecoveryCode: (userId, hash) => mfa.consumeRecoveryCode(read(userId), hash),
  }));
}

/** Keeps only the last enrolment of all sessions of a user, and returns it to the sessions chosen by `isShownTo`. */
function keepLastOnly(
  isShownTo: (sessionId: string, lastSessionId: string) => boolean,
): (mfa: MfaStore) => Partial<MfaStore> {
  return (mfa) => {
    let lastSessionId = '';
    return {
      begin: (userId, enrolment) => {
        lastSessionId = enrolment.sessionId;
        return mfa.begin(userId, enrolment);
      },
      findPending: async (userId, sessionId) =>
        isShownTo(sessionId, lastSessionId) ? mfa.findPending(userId, lastSessionId) : null,
    };
  };
}

const confirmsForAnySession = faultyMfa((mfa) => {
  const begunBy = new Map<string, string>();
  return {
    begin: (userId, enrolment) => {
      begunBy.set(enrolment.enrolmentId, enrolment.sessionId);
      return mfa.begin(userId, enrolment);
    },
    confirm: (userId, confirmation) => {
      const { sessionId } = confirmation;
      const beganBy = begunBy.get(confirmation.enrolmentId) ?? sessionId;
      return mfa.confirm(userId, { ...confirmation, sessionId: beganBy });
    },
  };
});

/** Confirms an enrolment, but leaves the enrolments of other sessions pending. */
const keepsOtherEnrolments = faultyMfa((mfa) => {
  const begun = new Map<string, NewEnrolment>();
  return {
    begin: (userId, enrolment) => {
      begun.set(enrolment.sessionId, enrolment);
      return mfa.begin(userId, enrolment);
    },
    confirm: async (userId, confirmation) => {
      const isConfirmed = await mfa.confirm(userId, confirmation);
      for (const other of begun.values()) await mfa.begin(userId, other);
      return isConfirmed;
    },
  };
});

/** Accepts codes of every factor that the user has had. */
function keepOldCodes(mfa: MfaStore): Partial<MfaStore> {
  const codes = new Set<string>();
  return {
    confirm: (userId, confirmation) => {
      for (const hash of confirmation.recoveryCodeHashes) codes.add(hash);
      return mfa.confirm(userId, confirmation);
    },
    consumeRecoveryCode: async (_userId, hash) => codes.delete(hash),
  };
}

expectMfaFaultsNoticed(mfaEnrolment, {
  'returns a begun enrolment as pending, with the storage time, but no factor': {
    'stores no enrolment': faultyMfa(() => ({ begin: async () => {} })),
    'turns a begun enrolment into a factor immediately': faultyMfa((mfa) => ({
      begin: async (userId, enrolment) => {
        const { sessionId, enrolmentId } = enrolment;
        await mfa.begin(userId, enrolment);
        await mfa.confirm(userId, { sessionId, enrolmentId, recoveryCodeHashes: [] });
        await mfa.begin(userId, { ...enrolment, enrolmentId: `${enrolmentId} again` });
      },
    })),
    'returns another time': faultyResults(
      'mfa',
      'findPending',
      (pending) => pending && { ...pending, nowMs: pending.nowMs - 1234 },
    ),
    'returns an extra field': faultyResults(
      'mfa',
      'findPending',
      (pending) => pending && { ...pending, ttlMs: 1 },
    ),
  },
  'turns a confirmed enrolment into the factor, at the time of the storage': {
    'returns the time of begin() as confirmedAtMs': faultyMfa((mfa, { clock }) => {
      let beganAtMs = 0;
      return {
        begin: (userId, enrolment) => {
          beganAtMs = clock.nowMs();
          return mfa.begin(userId, enrolment);
        },
        find: async (userId) => {
          const factor = await mfa.find(userId);
          return factor && { ...factor, confirmedAtMs: beganAtMs };
        },
      };
    }),
    'leaves a confirmed enrolment pending': faultyMfa((mfa) => ({
      confirm: async (userId, confirmation) => {
        const pending = await mfa.findPending(userId, ENROLLING);
        const isConfirmed = await mfa.confirm(userId, confirmation);
        const enrolmentId = 'still pending';
        if (pending !== null) {
          await mfa.begin(userId, {
            ...pending,
            sessionId: ENROLLING,
            enrolmentId,
            ttlMs: ENDLESS_MS,
          });
        }
        return isConfirmed;
      },
    })),
    'stores no recovery codes': faultyMfa((mfa) => ({
      confirm: (userId, confirmation) =>
        mfa.confirm(userId, { ...confirmation, recoveryCodeHashes: [] }),
    })),
  },
  'replaces a pending enrolment of the session': {
    'keeps the first enrolment': beginsOnce,
    'confirms any pending enrolment': confirmsAnyPending,
    'counts ttlMs from the first enrolment': faultyMfa((mfa, { clock }) => {
      let endsAtMs = Number.POSITIVE_INFINITY;
      return {
        begin: (userId, enrolment) => {
          endsAtMs = Math.min(endsAtMs, clock.nowMs() + enrolment.ttlMs);
          return mfa.begin(userId, { ...enrolment, ttlMs: endsAtMs - clock.nowMs() });
        },
      };
    }),
  },
  'keeps one pending enrolment per session, found only by that session': {
    'keeps one pending enrolment per user': faultyMfa(
      keepLastOnly((sessionId, lastSessionId) => sessionId === lastSessionId),
    ),
    'returns an enrolment to any session': faultyMfa(keepLastOnly(() => true)),
  },
  'confirms an enrolment only for the session that began it': {
    'confirms for any session': confirmsForAnySession,
  },
  'drops pending enrolments of other sessions on a confirmation': {
    'keeps enrolments of other sessions': keepsOtherEnrolments,
  },
  'keeps an enrolment pending only before ttlMs has passed': {
    'expires an enrolment 1 ms late': faultyTtls((ttlMs) => ttlMs + 1),
    'expires an enrolment 1 ms early': faultyTtls((ttlMs) => ttlMs - 1),
    'never expires an enrolment': faultyTtls(() => ENDLESS_MS),
  },
  'confirms no enrolment that is not pending for the user': {
    'confirms any pending enrolment': confirmsAnyPending,
    'always returns true': faultyMfa(() => ({ confirm: async () => true })),
    'ignores the user id': faultyMfa((mfa) => {
      const users = new Map<string, string>();
      return {
        begin: (userId, enrolment) => {
          users.set(enrolment.enrolmentId, userId);
          return mfa.begin(userId, enrolment);
        },
        confirm: (userId, confirmation) =>
          mfa.confirm(users.get(confirmation.enrolmentId) ?? userId, confirmation),
      };
    }),
  },
  'keeps an existing factor unchanged while another is pending': {
    'removes the factor on begin()': faultyMfa((mfa) => ({
      begin: async (userId, enrolment) => {
        await mfa.remove(userId);
        return mfa.begin(userId, enrolment);
      },
    })),
    'removes the factor when the enrolment expires': faultyMfa((mfa, { clock }) => {
      let endsAtMs = Number.POSITIVE_INFINITY;
      return {
        begin: (userId, enrolment) => {
          endsAtMs = clock.nowMs() + enrolment.ttlMs;
          return mfa.begin(userId, enrolment);
        },
        find: async (userId) => (clock.nowMs() < endsAtMs ? mfa.find(userId) : null),
      };
    }),
  },
  'replaces an older factor and all its codes': {
    'keeps the older factor': faultyMfa((mfa) => ({
      confirm: async (userId, confirmation) =>
        (await mfa.find(userId)) !== null || mfa.confirm(userId, confirmation),
    })),
    'keeps the older codes': faultyMfa(keepOldCodes),
  },
  'keeps a factor and its codes for ten years': {
    'forgets the factor after five years': faultyMfa((mfa, { clock }) => {
      const beganMs = clock.nowMs();
      return {
        find: async (userId) => (clock.nowMs() - beganMs < 5 * YEAR_MS ? mfa.find(userId) : null),
      };
    }),
    'forgets the codes after five years': faultyMfa((mfa, { clock }) => {
      const beganMs = clock.nowMs();
      return {
        consumeRecoveryCode: async (userId, hash) =>
          clock.nowMs() - beganMs < 5 * YEAR_MS && mfa.consumeRecoveryCode(userId, hash),
      };
    }),
  },
  'shows factor and enrolment on every connection': {
    'keeps separate data for each connection': unshared,
  },
  'keeps similar user ids apart': textFaults(changeUserIds),
});

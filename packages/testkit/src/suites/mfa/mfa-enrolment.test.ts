import type { MfaStore, NewEnrolment } from '@latchhook/core/storage';
import { ENROLLING } from '../../samples/mfa-samples.ts';
import { expectMfaFaultsNoticed } from '../../self-test/expect-mfa-faults-noticed.ts';
import { mfaOfEachConnection, mfaThat } from '../../self-test/faulty-mfa.ts';
import { mangling } from '../../self-test/mangled-texts.ts';
import { mfaEnrolment } from './mfa-enrolment.ts';

const FOR_EVER = Number.MAX_SAFE_INTEGER / 2;

const beginsOnce = mfaThat((mfa) => ({
  begin: async (userId, enrolment) => {
    const { sessionId } = enrolment;
    if ((await mfa.findPending(userId, sessionId)) === null) await mfa.begin(userId, enrolment);
  },
}));

/** Keeps enrolments pending for another time than was asked for. */
function pendingFor(change: (ttlMs: number) => number) {
  return mfaThat((mfa) => ({
    begin: (userId, enrolment) =>
      mfa.begin(userId, { ...enrolment, ttlMs: change(enrolment.ttlMs) }),
  }));
}

const confirmsWhateverIsPending = mfaThat((mfa) => ({
  confirm: async (userId, confirmation) => {
    const pending = await mfa.findPending(userId, ENROLLING);
    return mfa.confirm(userId, { ...confirmation, ...pending });
  },
}));

/** Reads user ids as a store might that builds keys from them. */
function readingUserIdsAs(read: (userId: string) => string) {
  return mfaThat((mfa) => ({
    begin: (userId, enrolment) => mfa.begin(read(userId), enrolment),
    confirm: (userId, confirmation) => mfa.confirm(read(userId), confirmation),
    find: (userId) => mfa.find(read(userId)),
    findPending: (userId, sessionId) => mfa.findPending(read(userId), sessionId),
    consumeRecoveryCode: (userId, hash) => mfa.consumeRecoveryCode(read(userId), hash),
  }));
}

/** Keeps what was begun last of all sessions of a user, or answers it to any of them. */
function withLastSession(
  answersTo: (asking: string, last: string) => boolean,
): (mfa: MfaStore) => Partial<MfaStore> {
  return (mfa) => {
    let last = '';
    return {
      begin: (userId, enrolment) => {
        last = enrolment.sessionId;
        return mfa.begin(userId, enrolment);
      },
      findPending: async (userId, sessionId) =>
        answersTo(sessionId, last) ? mfa.findPending(userId, last) : null,
    };
  };
}

const confirmsForAnySession = mfaThat((mfa) => {
  const begunBy = new Map<string, string>();
  return {
    begin: (userId, enrolment) => {
      begunBy.set(enrolment.enrolmentId, enrolment.sessionId);
      return mfa.begin(userId, enrolment);
    },
    confirm: (userId, confirmation) => {
      const { sessionId } = confirmation;
      const began = begunBy.get(confirmation.enrolmentId) ?? sessionId;
      return mfa.confirm(userId, { ...confirmation, sessionId: began });
    },
  };
});

/** Confirms the one, and leaves those of other sessions pending. */
const keepsWhatOthersHaveBegun = mfaThat((mfa) => {
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

/** Keeps the codes of every factor that the user ever had. */
function keepingOldCodes(mfa: MfaStore): Partial<MfaStore> {
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
  'is pending once begun, and not yet a factor': {
    'keeps nothing': mfaThat(() => ({ begin: async () => {} })),
    'takes it for a factor at once': mfaThat((mfa) => ({
      begin: async (userId, enrolment) => {
        const { sessionId, enrolmentId } = enrolment;
        await mfa.begin(userId, enrolment);
        await mfa.confirm(userId, { sessionId, enrolmentId, recoveryCodeHashes: [] });
        await mfa.begin(userId, { ...enrolment, enrolmentId: `${enrolmentId} again` });
      },
    })),
    'answers more than there is to say': mfaThat((mfa) => ({
      findPending: async (userId, sessionId) => {
        const pending = await mfa.findPending(userId, sessionId);
        return pending && { ...pending, ttlMs: 1 };
      },
    })),
  },
  'is the factor once confirmed, by the clock of the store, and no longer pending': {
    'dates it by its beginning': mfaThat((mfa, clock) => {
      let begunAtMs = 0;
      return {
        begin: (userId, enrolment) => {
          begunAtMs = clock.nowMs();
          return mfa.begin(userId, enrolment);
        },
        find: async (userId) => {
          const factor = await mfa.find(userId);
          return factor && { ...factor, confirmedAtMs: begunAtMs };
        },
      };
    }),
    'leaves it pending': mfaThat((mfa) => ({
      confirm: async (userId, confirmation) => {
        const pending = await mfa.findPending(userId, ENROLLING);
        const isConfirmed = await mfa.confirm(userId, confirmation);
        const enrolmentId = 'still pending';
        if (pending !== null) {
          await mfa.begin(userId, {
            ...pending,
            sessionId: ENROLLING,
            enrolmentId,
            ttlMs: FOR_EVER,
          });
        }
        return isConfirmed;
      },
    })),
    'keeps no codes': mfaThat((mfa) => ({
      confirm: (userId, confirmation) =>
        mfa.confirm(userId, { ...confirmation, recoveryCodeHashes: [] }),
    })),
  },
  'replaces one that is pending': {
    'keeps the first': beginsOnce,
    'confirms whatever is pending': confirmsWhateverIsPending,
    'counts the time from the first': mfaThat((mfa, clock) => {
      let endsAtMs = Number.POSITIVE_INFINITY;
      return {
        begin: (userId, enrolment) => {
          endsAtMs = Math.min(endsAtMs, clock.nowMs() + enrolment.ttlMs);
          return mfa.begin(userId, { ...enrolment, ttlMs: endsAtMs - clock.nowMs() });
        },
      };
    }),
  },
  'is one for each session, which alone finds it': {
    'keeps one for each user': mfaThat(withLastSession((asking, last) => asking === last)),
    'answers it to any session': mfaThat(withLastSession(() => true)),
  },
  'is confirmed by the session that began it alone': {
    'confirms for any session': confirmsForAnySession,
  },
  'drops those of other sessions once one is confirmed': {
    'keeps what others have begun': keepsWhatOthersHaveBegun,
  },
  'is pending until ttlMs have passed, exclusive': {
    'is late by one': pendingFor((ttlMs) => ttlMs + 1),
    'is early by one': pendingFor((ttlMs) => ttlMs - 1),
    'never forgets': pendingFor(() => FOR_EVER),
  },
  'confirms nothing that is not pending for this user': {
    'confirms whatever is pending': confirmsWhateverIsPending,
    'says that it did': mfaThat(() => ({ confirm: async () => true })),
    'looks enrolments up by their ids': mfaThat((mfa) => {
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
  'leaves an existing factor unchanged until it is confirmed': {
    'removes it at once': mfaThat((mfa) => ({
      begin: async (userId, enrolment) => {
        await mfa.remove(userId);
        return mfa.begin(userId, enrolment);
      },
    })),
    'removes it with what was not confirmed': mfaThat((mfa, clock) => {
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
  'replaces an older factor, with all of its codes': {
    'keeps the older one': mfaThat((mfa) => ({
      confirm: async (userId, confirmation) =>
        (await mfa.find(userId)) !== null || mfa.confirm(userId, confirmation),
    })),
    'keeps the older codes': mfaThat(keepingOldCodes),
  },
  'makes a factor that does not expire': {
    'forgets it after some years': mfaThat((mfa, clock) => {
      const beganMs = clock.nowMs();
      const years = 5 * 365 * 86_400_000;
      return {
        find: async (userId) => (clock.nowMs() - beganMs < years ? mfa.find(userId) : null),
      };
    }),
    'forgets its codes after some years': mfaThat((mfa, clock) => {
      const beganMs = clock.nowMs();
      const years = 5 * 365 * 86_400_000;
      return {
        consumeRecoveryCode: async (userId, hash) =>
          clock.nowMs() - beganMs < years && mfa.consumeRecoveryCode(userId, hash),
      };
    }),
  },
  'is seen over every connection': {
    'keeps factors to the process': mfaOfEachConnection,
  },
  'keeps apart users whose ids are awkward': mangling(readingUserIdsAs),
});

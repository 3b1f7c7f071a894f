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
  'keeps a begun enrolment pending, and returns no factor yet': {
    'stores no enrolment': mfaThat(() => ({ begin: async () => {} })),
    'turns a begun enrolment into a factor at once': mfaThat((mfa) => ({
      begin: async (userId, enrolment) => {
        const { sessionId, enrolmentId } = enrolment;
        await mfa.begin(userId, enrolment);
        await mfa.confirm(userId, { sessionId, enrolmentId, recoveryCodeHashes: [] });
        await mfa.begin(userId, { ...enrolment, enrolmentId: `${enrolmentId} again` });
      },
    })),
    'returns an extra field': mfaThat((mfa) => ({
      findPending: async (userId, sessionId) => {
        const pending = await mfa.findPending(userId, sessionId);
        return pending && { ...pending, ttlMs: 1 };
      },
    })),
  },
  'turns a confirmed enrolment into the factor, with confirmedAtMs of the storage clock': {
    'returns the time of begin() as confirmedAtMs': mfaThat((mfa, clock) => {
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
    'leaves a confirmed enrolment pending': mfaThat((mfa) => ({
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
    'stores no recovery codes': mfaThat((mfa) => ({
      confirm: (userId, confirmation) =>
        mfa.confirm(userId, { ...confirmation, recoveryCodeHashes: [] }),
    })),
  },
  'replaces a pending enrolment of the session': {
    'keeps the first enrolment': beginsOnce,
    'confirms any pending enrolment': confirmsWhateverIsPending,
    'counts ttlMs from the first enrolment': mfaThat((mfa, clock) => {
      let endsAtMs = Number.POSITIVE_INFINITY;
      return {
        begin: (userId, enrolment) => {
          endsAtMs = Math.min(endsAtMs, clock.nowMs() + enrolment.ttlMs);
          return mfa.begin(userId, { ...enrolment, ttlMs: endsAtMs - clock.nowMs() });
        },
      };
    }),
  },
  'keeps one pending enrolment per session, found by that session only': {
    'keeps one pending enrolment per user': mfaThat(
      withLastSession((asking, last) => asking === last),
    ),
    'returns an enrolment to any session': mfaThat(withLastSession(() => true)),
  },
  'confirms an enrolment only for the session that began it': {
    'confirms for any session': confirmsForAnySession,
  },
  'drops pending enrolments of other sessions on a confirmation': {
    'keeps enrolments of other sessions': keepsWhatOthersHaveBegun,
  },
  'keeps an enrolment pending before ttlMs has passed, and not from then on': {
    'expires an enrolment 1 ms late': pendingFor((ttlMs) => ttlMs + 1),
    'expires an enrolment 1 ms early': pendingFor((ttlMs) => ttlMs - 1),
    'never expires an enrolment': pendingFor(() => FOR_EVER),
  },
  'confirms no enrolment that is not pending for the user': {
    'confirms any pending enrolment': confirmsWhateverIsPending,
    'always returns true': mfaThat(() => ({ confirm: async () => true })),
    'ignores the user id': mfaThat((mfa) => {
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
    'removes the factor on begin()': mfaThat((mfa) => ({
      begin: async (userId, enrolment) => {
        await mfa.remove(userId);
        return mfa.begin(userId, enrolment);
      },
    })),
    'removes the factor when the enrolment expires': mfaThat((mfa, clock) => {
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
    'keeps the older factor': mfaThat((mfa) => ({
      confirm: async (userId, confirmation) =>
        (await mfa.find(userId)) !== null || mfa.confirm(userId, confirmation),
    })),
    'keeps the older codes': mfaThat(keepingOldCodes),
  },
  'keeps a factor for years': {
    'forgets the factor after some years': mfaThat((mfa, clock) => {
      const beganMs = clock.nowMs();
      const years = 5 * 365 * 86_400_000;
      return {
        find: async (userId) => (clock.nowMs() - beganMs < years ? mfa.find(userId) : null),
      };
    }),
    'forgets the codes after some years': mfaThat((mfa, clock) => {
      const beganMs = clock.nowMs();
      const years = 5 * 365 * 86_400_000;
      return {
        consumeRecoveryCode: async (userId, hash) =>
          clock.nowMs() - beganMs < years && mfa.consumeRecoveryCode(userId, hash),
      };
    }),
  },
  'shows factor and enrolment on every connection': {
    'keeps separate data for each connection': mfaOfEachConnection,
  },
  'keeps similar user ids apart': mangling(readingUserIdsAs),
});

import { memoryStorage } from '@latchhook/core';
import { LONGEST_PENDING_MS, type Storage } from '@latchhook/core/storage';
import { SECOND_MS } from '../../samples/webhook-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyChallenges, faultySessions, faultyStorage } from '../../self-test/faulty-storage.ts';
import { storesBy } from '../../self-test/reference.ts';
import type { StorageHarness } from '../../storage-harness.ts';
import { lateLogins, SHORT_MS } from './late-logins.ts';

/** The reference, which loses all sessions and challenges when `isLost` first returns true. */
function loseLogins(isLost: (openForMs: number) => boolean): StorageHarness {
  return faultyStorage(({ clock, ...storage }) => {
    const openedAtMs = clock.nowMs();
    let current: Required<Storage> = storage;
    return storesBy((apply) => {
      const isFirstLoss = current === storage && isLost(clock.nowMs() - openedAtMs);
      if (isFirstLoss) current = memoryStorage({ clock });
      return apply(current);
    });
  });
}

const losesEndedLogins = {
  'forgets sessions and challenges when they expire': loseLogins((ms) => ms >= SHORT_MS),
  'forgets sessions and challenges a second too early': loseLogins(
    (ms) => ms >= LONGEST_PENDING_MS - SECOND_MS,
  ),
};
const ignoresRevocations = {
  'ignores revokeAll()': faultySessions(() => ({ revokeAll: async () => {} })),
  'creates stale challenges': faultyChallenges((challenges, { clock }) => ({
    create: (challenge) => {
      clock.advance(challenge.loginAgeMs);
      return challenges.create({ ...challenge, loginAgeMs: 0 });
    },
  })),
};

/** Compares wall-clock times with the time of the last revocation. */
const comparesWithLastRevocation = faultySessions((sessions, { clock }) => {
  let revokedAtMs = 0;
  return {
    revokeAll: async () => {
      revokedAtMs = clock.nowMs();
    },
    create: async (login, limits) =>
      clock.nowMs() - login.loginAgeMs <= revokedAtMs
        ? { outcome: 'stale_login' }
        : sessions.create(login, limits),
  };
});

expectLoginFaultsNoticed(lateLogins, {
  'does not recreate an ended session on a late create(), even after the session has expired':
    losesEndedLogins,
  'does not recreate an ended session after the clock was set back': {
    'forgets a session if the clock is before its creation': loseLogins((ms) => ms < -SECOND_MS),
  },
  'does not recreate a used or expired challenge on a late create()': losesEndedLogins,
  'returns stale_login even if the clock was set back after revokeAll()': {
    ...ignoresRevocations,
    'ignores revocations later than the clock': faultySessions((sessions, { clock }) => {
      const openedAtMs = clock.nowMs();
      return {
        create: (login, limits) =>
          sessions.create(clock.nowMs() < openedAtMs ? { ...login, loginAgeMs: 0 } : login, limits),
      };
    }),
  },
  'returns stale_login even if the clock was set back between calls of revokeAll()': {
    ...ignoresRevocations,
    'keeps the wall-clock time of the last revocation only': comparesWithLastRevocation,
  },
});

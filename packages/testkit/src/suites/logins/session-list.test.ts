import { ADA } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultySessions } from '../../self-test/faulty-storage.ts';
import { sessionList } from './session-list.ts';

expectLoginFaultsNoticed(sessionList, {
  'lists the most recently rotated session first': {
    'lists the most recently rotated session last': faultySessions(({ sessions }) => ({
      list: async (userId) => (await sessions.list(userId)).toReversed(),
    })),
    'lists the newest login first': faultySessions(({ sessions }) => ({
      list: async (userId) =>
        (await sessions.list(userId)).toSorted((a, b) => b.createdAtMs - a.createdAtMs),
    })),
  },
  'returns an empty list for an unknown user': {
    'lists sessions of another user': faultySessions(({ sessions }) => ({
      list: () => sessions.list(ADA),
    })),
  },
  'lists all of a hundred sessions of a user': {
    'lists the first 50 sessions only': faultySessions(({ sessions }) => ({
      list: async (userId) => (await sessions.list(userId)).slice(0, 50),
    })),
  },
});

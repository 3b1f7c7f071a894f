import { ADA } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { sessionsThat } from '../../self-test/faulty-storage.ts';
import { sessionList } from './session-list.ts';

expectLoginFaultsNoticed(sessionList, {
  'has the most recently rotated first': {
    'has them last': sessionsThat(({ sessions }) => ({
      list: async (userId) => (await sessions.list(userId)).toReversed(),
    })),
    'has the newest login first': sessionsThat(({ sessions }) => ({
      list: async (userId) =>
        (await sessions.list(userId)).toSorted((a, b) => b.createdAtMs - a.createdAtMs),
    })),
  },
  'is empty for an unknown user': {
    'lists somebody else': sessionsThat(({ sessions }) => ({ list: () => sessions.list(ADA) })),
  },
  'contains all sessions of a user with many': {
    'lists a page': sessionsThat(({ sessions }) => ({
      list: async (userId) => (await sessions.list(userId)).slice(0, 50),
    })),
  },
});

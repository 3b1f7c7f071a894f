import { ADA } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyResults, faultySessions } from '../../self-test/faulty-storage.ts';
import { sessionList } from './session-list.ts';

expectLoginFaultsNoticed(sessionList, {
  'lists the most recently rotated session first': {
    'lists the most recently rotated session last': faultyResults('sessions', 'list', (listed) =>
      listed.toReversed(),
    ),
    'lists the newest login first': faultyResults('sessions', 'list', (listed) =>
      listed.toSorted((a, b) => b.createdAtMs - a.createdAtMs),
    ),
  },
  'returns an empty list for an unknown user': {
    'lists sessions of another user': faultySessions((sessions) => ({
      list: () => sessions.list(ADA),
    })),
  },
  'lists all of a hundred sessions of a user': {
    'lists the first 50 sessions only': faultyResults('sessions', 'list', (listed) =>
      listed.slice(0, 50),
    ),
  },
});

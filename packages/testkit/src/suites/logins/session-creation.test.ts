import { memoryStorage } from '@latchhook/core';
import type { NewLogin, SessionRecord, SessionStore } from '@latchhook/core/storage';
import { expectSession } from '../../actions/outcomes.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyRequests, faultySessions, faultyStorage } from '../../self-test/faulty-storage.ts';
import { unshared } from '../../self-test/reference.ts';
import { textFaults } from '../../self-test/text-faults.ts';
import { sessionCreation } from './session-creation.ts';

/** Creates the session, but returns a changed record. */
function faultyRecords(
  change: (record: SessionRecord, session: NewLogin) => SessionRecord,
): (sessions: SessionStore) => Partial<SessionStore> {
  return (sessions) => ({
    create: async (session, limits) => {
      const record = expectSession(await sessions.create(session, limits), 'created');
      return { outcome: 'created', session: change(record, session) };
    },
  });
}

function sessionIdFault(mangle: (sessionId: string) => string, fault: string) {
  const mangled = <Ref extends { sessionId: string }>(ref: Ref): Ref => ({
    ...ref,
    sessionId: mangle(ref.sessionId),
  });
  return {
    [fault]: faultySessions((sessions) => ({
      create: (session, limits) => sessions.create(mangled(session), limits),
      isLive: (ref) => sessions.isLive(mangled(ref)),
      revoke: (ref) => sessions.revoke(mangled(ref)),
    })),
  };
}

expectLoginFaultsNoticed(sessionCreation, {
  'returns a session as it was created, with times of the storage clock': {
    'starts at generation 0': faultySessions(
      faultyRecords((record) => ({ ...record, generation: 0 })),
    ),
    'keeps ASCII only': faultySessions((sessions) => ({
      create: (session, limits) => {
        const userAgent = session.userAgent?.replaceAll(/[^ -~]/gu, '?') ?? null;
        return sessions.create({ ...session, userAgent }, limits);
      },
    })),
    'returns the fields of the request too': faultySessions(
      faultyRecords((record, session) => ({ ...session, ...record })),
    ),

    'uses another clock': faultyStorage(() => memoryStorage()),

    'returns records with their own toJSON()': faultySessions(
      faultyRecords((record) => ({ ...record, toJSON: () => 'a record' })),
    ),

    'keeps separate data for each connection': unshared,
  },
  'returns the account id unchanged, as an integer or a text': {
    'stores the account id as a text': faultyRequests('sessions', 'create', ({ accountId }) => ({
      accountId: String(accountId),
    })),
    'stores a numeric text as a number': faultySessions((sessions) => ({
      create: (session, limits) => {
        const { accountId } = session;
        const stored = Number.isNaN(Number(accountId)) ? accountId : Number(accountId);
        return sessions.create({ ...session, accountId: stored }, limits);
      },
    })),
  },
  'returns null and empty fields unchanged': {
    'stores null as an empty text': faultyRequests('sessions', 'create', ({ userAgent }) => ({
      userAgent: userAgent ?? '',
    })),
    'stores null as 0': faultyRequests('sessions', 'create', ({ accountId }) => ({
      accountId: Number(accountId),
    })),
  },
  'keeps similar user ids apart': textFaults((mangle) =>
    faultySessions((sessions) => ({
      create: (session, limits) =>
        sessions.create({ ...session, userId: mangle(session.userId) }, limits),
      list: (userId) => sessions.list(mangle(userId)),
    })),
  ),
  'keeps similar session ids apart': {
    ...sessionIdFault((id) => id.toLowerCase(), 'folds letter case'),
    ...sessionIdFault((id) => id.replace(/[-_]$/, ''), 'ignores trailing punctuation'),
    ...sessionIdFault((id) => id.slice(0, 64), 'truncates ids at 64 characters'),
  },
  'finds a session only by user id and session id': {
    'ignores the user id': faultySessions((sessions) => {
      const owners = new Map<string, string>();
      const owned = <Ref extends { userId: string; sessionId: string }>(ref: Ref): Ref => ({
        ...ref,
        userId: owners.get(ref.sessionId) ?? ref.userId,
      });
      return {
        create: (session, limits) => {
          owners.set(session.sessionId, session.userId);
          return sessions.create(session, limits);
        },
        rotate: (request) => sessions.rotate(owned(request)),
      };
    }),
  },
});

import { memoryStorage } from '@latchhook/core';
import type { NewLogin, SessionRecord, SessionStore } from '@latchhook/core/storage';
import { logIn } from '../../actions/log-in.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import {
  sessionsThat,
  storageOfEachConnection,
  storageThat,
} from '../../self-test/faulty-storage.ts';
import { mangling } from '../../self-test/mangled-texts.ts';
import { sessionCreation } from './session-creation.ts';

/** Creates the session, but answers another record. */
function answering(
  change: (record: SessionRecord, session: NewLogin) => SessionRecord,
): (sound: { readonly sessions: SessionStore }) => Partial<SessionStore> {
  return ({ sessions }) => ({
    create: async (session, limits) => {
      const record = await logIn(sessions, session, limits);
      return { outcome: 'created', session: change(record, session) };
    },
  });
}

function sessionIds(mangle: (sessionId: string) => string, fault: string) {
  const mangled = <Ref extends { sessionId: string }>(ref: Ref): Ref => ({
    ...ref,
    sessionId: mangle(ref.sessionId),
  });
  return {
    [fault]: sessionsThat(({ sessions }) => ({
      create: (session, limits) => sessions.create(mangled(session), limits),
      isLive: (ref) => sessions.isLive(mangled(ref)),
      revoke: (ref) => sessions.revoke(mangled(ref)),
    })),
  };
}

expectLoginFaultsNoticed(sessionCreation, {
  'starts at generation 1 with the grant that it was given': {
    'counts from 0': sessionsThat(answering((record) => ({ ...record, generation: 0 }))),
    'keeps ASCII only': sessionsThat(({ sessions }) => ({
      create: (session, limits) => {
        const userAgent = session.userAgent?.replaceAll(/[^ -~]/gu, '?') ?? null;
        return sessions.create({ ...session, userAgent }, limits);
      },
    })),
    'answers what it was asked as well': sessionsThat(
      answering((record, session) => ({ ...session, ...record })),
    ),
  },
  'keeps the account as it is, an integer or a text': {
    'keeps a text of it': sessionsThat(({ sessions }) => ({
      create: (session, limits) =>
        sessions.create({ ...session, accountId: String(session.accountId) }, limits),
    })),
    'keeps a number of what looks like one': sessionsThat(({ sessions }) => ({
      create: (session, limits) => {
        const { accountId } = session;
        const read = Number.isNaN(Number(accountId)) ? accountId : Number(accountId);
        return sessions.create({ ...session, accountId: read }, limits);
      },
    })),
  },
  'keeps absent fields absent': {
    'turns it into an empty text': sessionsThat(({ sessions }) => ({
      create: (session, limits) =>
        sessions.create({ ...session, userAgent: session.userAgent ?? '' }, limits),
    })),
    'turns it into zero': sessionsThat(({ sessions }) => ({
      create: (session, limits) =>
        sessions.create({ ...session, accountId: Number(session.accountId) }, limits),
    })),
  },
  'takes its times from the clock of the store': {
    'has a clock of its own': storageThat(() => memoryStorage()),
  },
  'answers records that JSON carries unchanged': {
    'answers what prints as something else': sessionsThat(
      answering((record) => ({ ...record, toJSON: () => 'a record' })),
    ),
  },
  'is seen over every connection': {
    'keeps it in the process': storageOfEachConnection,
  },
  'keeps apart users whose ids are awkward': mangling((mangle) =>
    sessionsThat(({ sessions }) => ({
      create: (session, limits) =>
        sessions.create({ ...session, userId: mangle(session.userId) }, limits),
      list: (userId) => sessions.list(mangle(userId)),
    })),
  ),
  'keeps apart sessions whose ids differ by little': {
    ...sessionIds((id) => id.toLowerCase(), 'folds letter case'),
    ...sessionIds((id) => id.replace(/[-_]$/, ''), 'ignores marks at the end'),
    ...sessionIds((id) => id.slice(0, 64), 'cuts at 64'),
  },
  'finds a session only by both parts of its name': {
    'looks the session up alone': sessionsThat(({ sessions }) => {
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

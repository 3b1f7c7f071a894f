import type { NewLogin, SessionRecord, SessionStore } from '@latchhook/core/storage';
import { expectSession } from '../../actions/outcomes.ts';
import { AMPLE_LIMITS } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultySessions } from '../../self-test/faulty-storage.ts';
import { sessionCap } from './session-cap.ts';

type ChooseEnded = (
  listed: readonly SessionRecord[],
  newest: SessionRecord,
  maxPerUser: number,
) => readonly SessionRecord[];

/** Creates the session regardless of the cap, and ends the chosen sessions. */
function faultyCap(choose: ChooseEnded) {
  return faultySessions((sessions) => ({
    create: async (session, { maxPerUser }) => {
      const newest = expectSession(await sessions.create(session, AMPLE_LIMITS), 'created');
      const listed = await sessions.list(session.userId);
      for (const record of choose(listed, newest, maxPerUser)) await sessions.revoke(record);
      return { outcome: 'created', session: newest };
    },
  }));
}

async function createUncapped(sessions: SessionStore, session: NewLogin) {
  return sessions.create(session, AMPLE_LIMITS);
}

expectLoginFaultsNoticed(sessionCap, {
  'ends the least recently rotated session beyond maxPerUser': {
    'ignores maxPerUser': faultySessions((sessions) => ({
      create: (session) => createUncapped(sessions, session),
    })),
    'ends the oldest logins': faultyCap((listed, _, maxPerUser) =>
      listed.toSorted((a, b) => b.createdAtMs - a.createdAtMs).slice(maxPerUser),
    ),
    'allows one session too many': faultyCap((listed, _, maxPerUser) =>
      listed.slice(maxPerUser + 1),
    ),
  },
  'ends all sessions that exceed maxPerUser': {
    'ends at most one session': faultyCap((listed, _, maxPerUser) =>
      listed.slice(maxPerUser).slice(-1),
    ),
  },
  'keeps the new session even if all sessions were created in the same millisecond': {
    'ends the newest session on a tie': faultyCap((listed, newest, maxPerUser) =>
      listed.length > maxPerUser ? [newest] : [],
    ),
  },
  'counts no revoked or expired session towards maxPerUser': {
    'counts ended sessions': faultySessions((sessions) => {
      let logins = 0;
      return {
        create: async (session, { maxPerUser }) => {
          logins += 1;
          const listed = await sessions.list(session.userId);
          const oldest = listed.at(-1);
          if (logins > maxPerUser && oldest !== undefined) await sessions.revoke(oldest);
          return createUncapped(sessions, session);
        },
      };
    }),
  },
  'ends the oldest live session even if other sessions expired long ago': {
    'ends a session that has already expired': faultySessions((sessions) => {
      const started: SessionRecord[] = [];
      return {
        create: async (session, { maxPerUser }) => {
          const { length } = await sessions.list(session.userId);
          const record = expectSession(await sessions.create(session, AMPLE_LIMITS), 'created');
          started.push(record);
          const [first] = length < maxPerUser ? [] : started.splice(0, 1);
          if (first !== undefined) await sessions.revoke(first);
          return { outcome: 'created', session: record };
        },
      };
    }),
  },
  'ends no session if create() is repeated': {
    'ends a session before each creation': faultySessions((sessions) => ({
      create: async (session, { maxPerUser }) => {
        const listed = await sessions.list(session.userId);
        for (const record of listed.slice(maxPerUser - 1)) await sessions.revoke(record);
        return createUncapped(sessions, session);
      },
    })),
  },
  'limits the sessions of each user separately': {
    'counts all users together': faultySessions((sessions) => {
      const started: SessionRecord[] = [];
      return {
        create: async (session, { maxPerUser }) => {
          const record = expectSession(await sessions.create(session, AMPLE_LIMITS), 'created');
          started.push(record);
          for (const oldRecord of started.slice(0, -maxPerUser)) await sessions.revoke(oldRecord);
          return { outcome: 'created', session: record };
        },
      };
    }),
  },
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultySessions } from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { sessionRaces } from './session-races.ts';

const readsThenWrites = { 'reads and writes non-atomically': nonAtomic };

expectLoginFaultsNoticed(sessionRaces, {
  'returns the same successor to 200 parallel rotations': {
    ...readsThenWrites,
    'rotates the successor for the losers of the race': faultySessions((sessions) => ({
      rotate: async (request) => {
        const result = await sessions.rotate(request);
        if (result.outcome !== 'replayed') return result;
        return sessions.rotate({ ...request, generation: result.session.generation });
      },
    })),
  },
  'replays at most replayLimit of 100 parallel rotations': readsThenWrites,
  'returns reused to one of 50 parallel presentations of an old token': readsThenWrites,
  'ends a session on revoke() during 16 parallel rotations': readsThenWrites,
  'ends a session on revokeAll() during 16 parallel rotations': {
    ...readsThenWrites,
    'ends sessions one by one': faultySessions((sessions) => ({
      revokeAll: async (userId) => {
        const listed = await sessions.list(userId);
        // Returns before the sessions are revoked, like a job queue.
        void nextTurn().then(() => Promise.all(listed.map((record) => sessions.revoke(record))));
      },
    })),
  },
  'ends or rejects every login that runs in parallel to revokeAll()': {
    ...readsThenWrites,
    'checks for a revocation before a separate insert': faultySessions((sessions) => ({
      create: async (session, limits) => {
        const result = await sessions.create(session, limits);
        if (result.outcome === 'stale_login') return result;
        await sessions.revoke(session);
        await nextTurn();
        const { sessionId } = session;
        const newSession = { ...session, sessionId: `${sessionId} again`, loginAgeMs: -1 };
        return sessions.create(newSession, limits);
      },
    })),
  },
  'keeps only the current session when logins run in parallel to revokeOthers()': {
    'ends sessions one by one': faultySessions((sessions) => ({
      revokeOthers: async ({ userId, sessionId }) => {
        const listed = await sessions.list(userId);
        await nextTurn();
        const others = listed.filter((record) => record.sessionId !== sessionId);
        for (const record of others) await sessions.revoke(record);
      },
    })),
  },
  'returns true to one of 50 parallel calls of revoke()': readsThenWrites,
  'creates one session under 50 parallel calls with the same id': {
    'checks the id before a separate insert': faultySessions((sessions) => {
      const rows: string[] = [];
      return {
        create: async (session, limits) => {
          const isKnown = rows.includes(session.sessionId);
          await nextTurn();
          if (!isKnown) rows.push(session.sessionId);
          return sessions.create(session, limits);
        },
        list: async (userId) => {
          const listed = await sessions.list(userId);
          return rows.flatMap((id) => listed.filter(({ sessionId }) => sessionId === id));
        },
      };
    }),
  },
  'keeps maxPerUser under 50 parallel creations': {
    ...readsThenWrites,
    'counts sessions before a separate insert': faultySessions((sessions) => ({
      create: async (session, { maxPerUser }) => {
        const listed = await sessions.list(session.userId);
        await nextTurn();
        for (const record of listed.slice(maxPerUser - 1)) await sessions.revoke(record);
        return sessions.create(session, { maxPerUser: 1000 });
      },
    })),
  },
});

import { setImmediate as turn } from 'node:timers/promises';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { sessionsThat } from '../../self-test/faulty-storage.ts';
import { readThenWriteStorage } from '../../self-test/read-then-write-storage.ts';
import { sessionRaces } from './session-races.ts';

const readsThenWrites = { 'reads, then writes': readThenWriteStorage };

expectLoginFaultsNoticed(sessionRaces, {
  'one of 200 parallel rotations wins, and all are answered with one successor': {
    ...readsThenWrites,
    'lets the losers rotate what the winner made': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome !== 'replayed') return answer;
        return sessions.rotate({ ...request, generation: answer.session.generation });
      },
    })),
  },
  'no more than replayLimit rotations are answered beside the winner': readsThenWrites,
  'one of many presentations of an old token is answered reused': readsThenWrites,
  'no rotation survives a revocation, whatever was pending': readsThenWrites,
  'no rotation survives a revocation of all, whatever was pending': {
    ...readsThenWrites,
    'ends one session after the other': sessionsThat(({ sessions }) => ({
      revokeAll: async (userId) => {
        const listed = await sessions.list(userId);
        // Answers before it is done, as a job queue would.
        void turn().then(() => Promise.all(listed.map((record) => sessions.revoke(record))));
      },
    })),
  },
  'no login that began before a revocation of all survives it': {
    ...readsThenWrites,
    'looks for a revocation, then inserts': sessionsThat(({ sessions }) => ({
      create: async (session, limits) => {
        const answer = await sessions.create(session, limits);
        if (answer.outcome === 'stale_login') return answer;
        await sessions.revoke(session);
        await turn();
        const { sessionId } = session;
        const again = { ...session, sessionId: `${sessionId} again`, authenticationMs: -1 };
        return sessions.create(again, limits);
      },
    })),
  },
  'no login survives a revocation of all others, and the kept session lives throughout': {
    'ends one session after the other': sessionsThat(({ sessions }) => ({
      revokeOthers: async ({ userId, sessionId }) => {
        const listed = await sessions.list(userId);
        await turn();
        const others = listed.filter((record) => record.sessionId !== sessionId);
        for (const record of others) await sessions.revoke(record);
      },
    })),
  },
  'one of many parallel revocations ends the session': readsThenWrites,
  'parallel creations with one id make one session': {
    'looks for the id, then inserts': sessionsThat(({ sessions }) => {
      const rows: string[] = [];
      return {
        create: async (session, limits) => {
          const isKnown = rows.includes(session.sessionId);
          await turn();
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
  'the cap holds among parallel creations': {
    ...readsThenWrites,
    'counts, then inserts': sessionsThat(({ sessions }) => ({
      create: async (session, { maxPerUser }) => {
        const listed = await sessions.list(session.userId);
        await turn();
        for (const record of listed.slice(maxPerUser - 1)) await sessions.revoke(record);
        return sessions.create(session, { maxPerUser: 1000 });
      },
    })),
  },
});

import assert from 'node:assert/strict';
import { assertOver, sessionOf } from '../outcomes.ts';
import {
  ADA,
  ATTEMPT_LIMITS,
  answering,
  newChallenge,
  newSession,
  presenting,
  ROOMY,
} from '../samples.ts';
import type { Suite } from '../suite.ts';

export const sessionRevocation: Suite = {
  name: 'sessions: revocation',
  claims: {
    'ends one session, the grace of its predecessor with it': async ({ storage, sessions }) => {
      const record = await sessions.create(newSession('s1'), ROOMY);
      await sessions.rotate(presenting(1, record));
      assert.equal(await sessions.revoke(record), true);
      await assertOver(storage, record, 2);
    },

    'says false where there is nothing left to end': async ({ sessions }) => {
      const record = await sessions.create(newSession('s1'), ROOMY);
      assert.equal(await sessions.revoke(record), true);
      assert.equal(await sessions.revoke(record), false);
      assert.equal(await sessions.revoke(newSession('never')), false);
    },

    'leaves the other sessions of the user alone': async ({ sessions }) => {
      const ended = await sessions.create(newSession('ended'), ROOMY);
      const other = await sessions.create(newSession('other'), ROOMY);
      await sessions.revoke(ended);
      assert.deepEqual(await sessions.list(ADA), [other]);
      sessionOf(await sessions.rotate(presenting(1, other)), 'rotated');
    },

    'of all ends every session of the user': async ({ storage, sessions }) => {
      const records = [];
      for (const id of ['s1', 's2', 's3']) {
        const record = await sessions.create(newSession(id), ROOMY);
        await sessions.rotate(presenting(1, record));
        records.push(record);
      }
      await sessions.revokeAll(ADA);
      assert.deepEqual(await sessions.list(ADA), []);
      for (const record of records) {
        await assertOver(storage, record, 2);
        assert.equal(await sessions.revoke(record), false);
      }
    },

    'of all ends every pending challenge of the user': async ({ sessions, challenges }) => {
      const answered = newChallenge('answered');
      const untouched = newChallenge('untouched');
      await challenges.create(answered);
      await challenges.create(untouched);
      await challenges.reserveAttempt(answered, ATTEMPT_LIMITS);
      await sessions.revokeAll(ADA);
      assert.equal((await challenges.complete(answering(answered, 's1', 9))).outcome, 'gone');
      const attempt = await challenges.reserveAttempt(untouched, ATTEMPT_LIMITS);
      assert.equal(attempt.outcome, 'gone');
      assert.deepEqual(await sessions.list(ADA), []);
    },

    'of all does not touch what begins later, within the same millisecond': async ({
      sessions,
      challenges,
    }) => {
      await sessions.create(newSession('before'), ROOMY);
      await sessions.revokeAll(ADA);
      const after = await sessions.create(newSession('after'), ROOMY);
      const challenge = newChallenge('after');
      await challenges.create(challenge);
      await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      const answer = await challenges.complete(answering(challenge, 'completed', 9));
      const completed = sessionOf(answer, 'completed');
      sessionOf(await sessions.rotate(presenting(1, after)), 'rotated');
      sessionOf(await sessions.rotate(presenting(1, completed)), 'rotated');
      assert.equal((await sessions.list(ADA)).length, 2);
    },

    'of all leaves other users alone': async ({ sessions }) => {
      const grace = await sessions.create(newSession('s1', { userId: 'user-grace' }), ROOMY);
      await sessions.create(newSession('s1'), ROOMY);
      await sessions.revokeAll(ADA);
      await sessions.revokeAll('user-unheard-of');
      assert.equal(await sessions.isLive(grace), true);
    },
  },
};

import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { assertMet, walkSealed } from '../../actions/walk-sealed.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import {
  codeHash,
  enrol,
  factorOf,
  newEnrolment,
  sealedSecretOf,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';
import type { MfaTrial } from '../../trials/mfa-trial.ts';

const PROCESSES = 8;

const expected = sealedSecretOf('e1');

export const mfaResealing: Suite<MfaTrial> = {
  name: 'second factor: resealing',
  claims: {
    'lists the secret of every user’s factor': async ({ mfa }) => {
      const users = [...AWKWARD_TEXTS, ...Array.from({ length: 40 }, (_, nth) => `user ${nth}`)];
      for (const userId of users) await enrol(mfa, 'e1', userId);
      const factors = users.map((owner) => ({ owner, sealed: expected }));
      for (const limit of [100, 7, 1]) assertMet(await walkSealed(mfa, limit), factors);
    },

    'goes on after a page on which nothing is left': async ({ mfa }) => {
      const users = Array.from({ length: 40 }, (_, nth) => `user ${nth}`);
      for (const userId of users) await enrol(mfa, 'e1', userId);
      for (const userId of users.slice(8, 32)) await mfa.remove(userId);
      const left = [...users.slice(0, 8), ...users.slice(32)];
      const factors = left.map((owner) => ({ owner, sealed: expected }));
      for (const limit of [7, 1]) assertMet(await walkSealed(mfa, limit), factors);
    },

    'lists nothing that is pending, was removed, or was replaced': async ({ mfa }) => {
      assertMet(await walkSealed(mfa, 10), []);
      await enrol(mfa, 'e1');
      await enrol(mfa, 'e2');
      await enrol(mfa, 'e1', GRACE);
      await mfa.remove(GRACE);
      await mfa.begin(GRACE, newEnrolment('e3'));
      assertMet(await walkSealed(mfa, 10), [{ owner: ADA, sealed: sealedSecretOf('e2') }]);
    },

    'changes nothing of a factor except how its secret is sealed': async ({ mfa, clock }) => {
      const factor = await enrol(mfa, 'e1');
      const theirs = await enrol(mfa, 'e1', GRACE);
      clock.advance(1000);
      assert.equal(await mfa.replaceSealed(ADA, { expected, replacement: 'resealed' }), true);
      assert.deepEqual(await factorOf(mfa), { ...factor, sealedSecret: 'resealed' });
      assert.deepEqual(await factorOf(mfa, GRACE), theirs);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), true);
    },

    'leaves a secret alone that has replaced the expected one': async ({ mfa }) => {
      assert.equal(await mfa.replaceSealed(ADA, { expected, replacement: 'resealed' }), false);
      assert.equal(await mfa.find(ADA), null);
      const factor = await enrol(mfa, 'e2');
      assert.equal(await mfa.replaceSealed(ADA, { expected, replacement: 'resealed' }), false);
      assert.deepEqual(await factorOf(mfa), factor);
    },

    'answers the same when repeated': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      for (let time = 0; time < 2; time += 1) {
        assert.equal(await mfa.replaceSealed(ADA, { expected, replacement: 'resealed' }), true);
      }
      assert.equal((await factorOf(mfa)).sealedSecret, 'resealed');
    },

    'is done by one of many processes that try at once': async ({ mfa, connections }) => {
      await enrol(mfa, 'e1');
      const answers = await inParallel(50, await connections(PROCESSES), (process, nth) =>
        process.replaceSealed(ADA, { expected, replacement: `resealed ${nth}` }),
      );
      assert.deepEqual(
        answers.flatMap((isThere, nth) => (isThere ? [`resealed ${nth}`] : [])),
        [(await factorOf(mfa)).sealedSecret],
      );
    },
  },
};

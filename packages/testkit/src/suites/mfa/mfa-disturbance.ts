import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

/** A disturbance, such as a lost script cache or connection, changes no result. */
export const mfaDisturbance: Suite<MfaFixture> = {
  name: 'second factor: disturbances that lose no data',
  needs: 'disturb',
  cases: {
    'returns the same outcomes for a factor with a disturbance before each call': async (t) => {
      await t.disturb();
      await t.begin('e1');
      await t.disturb();
      assert.equal((await t.pending())?.enrolmentId, 'e1');
      await t.disturb();
      assert.equal(await t.confirm('e1'), true);
      await t.disturb();
      assert.equal(await t.consume('e1', 0), true);
      await t.disturb();
      assert.equal((await t.factor()).recoveryCodesLeft, 9);
      await t.disturb();
      assert.equal(await t.replaceCodes('new'), true);
      await t.disturb();
      assert.equal(await t.mfa.removeEnrolled(ADA, 'e0'), false);
      await t.disturb();
      assert.equal(await t.mfa.remove(ADA), true);
    },

    'confirms once under 100 parallel calls during a disturbance': async (t) => {
      const processes = await t.connections(8);
      await t.begin('e1');
      const confirmMany = (half: string) =>
        inParallel(50, processes, (connection, i) => connection.confirm('e1', `${half} ${i}`));
      const [early, , late] = await Promise.all([
        confirmMany('early'),
        t.disturb(),
        confirmMany('late'),
      ]);
      assert.equal([...early, ...late].filter((isConfirmed) => isConfirmed).length, 1);
    },
  },
};

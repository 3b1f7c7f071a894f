import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import {
  codeHash,
  codeHashes,
  ENROLLING,
  factorOf,
  newConfirmation,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

/** A disturbance, such as a lost script cache or connection, changes no result. */
export const mfaDisturbance: Suite<MfaFixture> = {
  name: 'second factor: disturbances that lose no data',
  needs: 'disturb',
  cases: {
    'returns the same outcomes for a factor with a disturbance before each call': async ({
      mfa,
      disturb,
    }) => {
      await disturb();
      await mfa.begin(ADA, newEnrolment('e1'));
      await disturb();
      assert.equal((await mfa.findPending(ADA, ENROLLING))?.enrolmentId, 'e1');
      await disturb();
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), true);
      await disturb();
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), true);
      await disturb();
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 9);
      await disturb();
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new')), true);
      await disturb();
      assert.equal(await mfa.removeEnrolled(ADA, 'e0'), false);
      await disturb();
      assert.equal(await mfa.remove(ADA), true);
    },

    'confirms once under 100 parallel calls during a disturbance': async ({
      mfa,
      connections,
      disturb,
    }) => {
      const processes = await connections(8);
      await mfa.begin(ADA, newEnrolment('e1'));
      const confirmMany = (half: string) =>
        inParallel(50, processes, (connection, i) =>
          connection.confirm(ADA, newConfirmation('e1', `${half} ${i}`)),
        );
      const [early, , late] = await Promise.all([
        confirmMany('early'),
        disturb(),
        confirmMany('late'),
      ]);
      assert.equal([...early, ...late].filter((isConfirmed) => isConfirmed).length, 1);
    },
  },
};

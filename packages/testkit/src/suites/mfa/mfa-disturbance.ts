import assert from 'node:assert/strict';
import { mfaSuite } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import { disturbancesOf } from '../../suite.ts';

export const mfaDisturbance = mfaSuite(disturbancesOf('second factor'), {
  'returns the same outcomes for a factor with a disturbance before each call': async ({
    disturbed: t,
  }) => {
    await t.begin('e1');
    assert.equal((await t.pending())?.enrolmentId, 'e1');
    assert.equal(await t.confirm('e1'), true);
    assert.equal(await t.consume('e1', 0), true);
    assert.equal((await t.factor()).recoveryCodesLeft, 9);
    assert.equal(await t.replaceCodes('new'), true);
    assert.equal(await t.mfa.removeEnrolled(ADA, 'e0'), false);
    assert.equal(await t.mfa.remove(ADA), true);
  },

  'confirms once under 100 parallel calls during a disturbance': async (t) => {
    await t.begin('e1');
    const results = await t.inParallelDisturbed((connection, i) =>
      connection.confirm('e1', `set ${i}`),
    );
    assert.equal(results.filter((isConfirmed) => isConfirmed).length, 1);
  },
});

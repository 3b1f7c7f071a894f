import assert from 'node:assert/strict';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import {
  codeHash,
  codeHashes,
  ENROLLING,
  enrol,
  newConfirmation,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

export const mfaRemoval: Suite<MfaFixture> = {
  name: 'second factor: removal',
  cases: {
    'removes factor, codes and pending enrolments of the user on remove()': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e2'));
      assert.equal(await mfa.remove(ADA), true);
      assert.equal(await mfa.find(ADA), null);
      assert.equal(await mfa.findPending(ADA, ENROLLING), null);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e2')), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new')), false);
    },

    'returns from remove() whether the user had a factor': async ({ mfa }) => {
      assert.equal(await mfa.remove(ADA), false);
      await mfa.begin(ADA, newEnrolment('e1'));
      assert.equal(await mfa.remove(ADA), false);
      assert.equal(await mfa.findPending(ADA, ENROLLING), null);
    },

    'keeps factor and enrolment of other users on remove()': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      const factorOfGrace = await enrol(mfa, 'e1', GRACE);
      await mfa.begin(GRACE, newEnrolment('e2'));
      await mfa.remove(ADA);
      assert.deepEqual(await mfa.find(GRACE), factorOfGrace);
      assert.equal((await mfa.findPending(GRACE, ENROLLING))?.enrolmentId, 'e2');
      assert.equal(await mfa.consumeRecoveryCode(GRACE, codeHash('e1', 0)), true);
    },

    'removes the factor and its codes on removeEnrolled()': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      const factorOfGrace = await enrol(mfa, 'e1', GRACE);
      assert.equal(await mfa.removeEnrolled(ADA, 'e1'), true);
      assert.equal(await mfa.find(ADA), null);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
      assert.deepEqual(await mfa.find(GRACE), factorOfGrace);
      assert.equal(await mfa.consumeRecoveryCode(GRACE, codeHash('e1', 0)), true);
    },

    'keeps pending enrolments and any other factor on removeEnrolled()': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      const factor = await enrol(mfa, 'e2');
      await mfa.begin(ADA, newEnrolment('e3'));
      for (const other of ['e1', 'e3']) {
        assert.equal(await mfa.removeEnrolled(ADA, other), false);
        assert.deepEqual(await mfa.find(ADA), factor);
      }
      assert.equal(await mfa.removeEnrolled(ADA, 'e2'), true);
      assert.equal((await mfa.findPending(ADA, ENROLLING))?.enrolmentId, 'e3');
      assert.equal(await mfa.removeEnrolled(ADA, 'e3'), false);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e3')), true);
    },

    'rejects codes of a removed factor after another enrolment': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      await mfa.remove(ADA);
      assert.equal((await enrol(mfa, 'e2')).recoveryCodesLeft, 10);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
    },
  },
};

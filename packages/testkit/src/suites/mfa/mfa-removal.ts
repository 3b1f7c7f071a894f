import assert from 'node:assert/strict';
import { mfaSuite } from '../../fixtures/mfa-fixture.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import { codeHash, ENROLLING, newEnrolment } from '../../samples/mfa-samples.ts';

export const mfaRemoval = mfaSuite('second factor: removal', {
  'removes factor, codes and pending enrolments of the user on remove()': async (t) => {
    await t.enrol('e1');
    await t.begin('e2');
    assert.equal(await t.mfa.remove(ADA), true);
    assert.equal(await t.mfa.find(ADA), null);
    assert.equal(await t.pending(), null);
    assert.equal(await t.confirm('e2'), false);
    assert.equal(await t.consume('e1', 0), false);
    assert.equal(await t.replaceCodes('new'), false);
  },

  'returns from remove() whether the user had a factor': async (t) => {
    assert.equal(await t.mfa.remove(ADA), false);
    await t.begin('e1');
    assert.equal(await t.mfa.remove(ADA), false);
    assert.equal(await t.pending(), null);
    await t.enrol('e2');
    for (const hadFactor of [true, false]) assert.equal(await t.mfa.remove(ADA), hadFactor);
  },

  'keeps factor and enrolment of other users on remove()': async (t) => {
    await t.enrol('e1');
    const factorOfGrace = await t.enrol('e1', GRACE);
    await t.mfa.begin(GRACE, newEnrolment('e2'));
    await t.mfa.remove(ADA);
    assert.deepEqual(await t.mfa.find(GRACE), factorOfGrace);
    assert.equal((await t.mfa.findPending(GRACE, ENROLLING))?.enrolmentId, 'e2');
    assert.equal(await t.mfa.consumeRecoveryCode(GRACE, codeHash('e1', 0)), true);
  },

  'removes the factor and its codes on removeEnrolled()': async (t) => {
    await t.enrol('e1');
    const factorOfGrace = await t.enrol('e1', GRACE);
    assert.equal(await t.mfa.removeEnrolled(ADA, 'e1'), true);
    assert.equal(await t.mfa.find(ADA), null);
    assert.equal(await t.confirm('e1'), false);
    assert.equal(await t.consume('e1', 0), false);
    assert.deepEqual(await t.mfa.find(GRACE), factorOfGrace);
    assert.equal(await t.mfa.consumeRecoveryCode(GRACE, codeHash('e1', 0)), true);
  },

  'keeps pending enrolments and any other factor on removeEnrolled()': async (t) => {
    await t.enrol('e1');
    const factor = await t.enrol('e2');
    await t.begin('e3');
    for (const other of ['e1', 'e3']) {
      assert.equal(await t.mfa.removeEnrolled(ADA, other), false);
      assert.deepEqual(await t.mfa.find(ADA), factor);
    }
    assert.equal(await t.mfa.removeEnrolled(ADA, 'e2'), true);
    assert.equal((await t.pending())?.enrolmentId, 'e3');
    assert.equal(await t.mfa.removeEnrolled(ADA, 'e3'), false);
    assert.equal(await t.confirm('e3'), true);
  },

  'rejects codes of a removed factor after another enrolment': async (t) => {
    await t.enrol('e1');
    await t.mfa.remove(ADA);
    assert.equal((await t.enrol('e2')).recoveryCodesLeft, 10);
    assert.equal(await t.consume('e1', 0), false);
  },
});

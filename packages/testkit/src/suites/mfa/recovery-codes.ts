import assert from 'node:assert/strict';
import { mfaSuite } from '../../fixtures/mfa-fixture.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import { codeHashes, newConfirmation, newEnrolment } from '../../samples/mfa-samples.ts';

export const recoveryCodes = mfaSuite('second factor: recovery codes', {
  'consumes each code once and counts the remaining codes': async (t) => {
    await t.enrol('e1');
    for (const [i, hash] of codeHashes('e1').entries()) {
      assert.equal(await t.mfa.consumeRecoveryCode(ADA, hash), true);
      assert.equal(await t.mfa.consumeRecoveryCode(ADA, hash), false);
      assert.equal((await t.factor()).recoveryCodesLeft, 9 - i);
    }
  },

  'keeps the factor when the last code is used': async (t) => {
    const factor = await t.enrol('e1');
    for (const hash of codeHashes('e1')) await t.mfa.consumeRecoveryCode(ADA, hash);
    assert.deepEqual(await t.mfa.find(ADA), { ...factor, recoveryCodesLeft: 0 });
    assert.equal(await t.replaceCodes('new'), true);
    assert.equal((await t.factor()).recoveryCodesLeft, 10);
  },

  'rejects a code of another user without consuming it': async (t) => {
    await t.enrol('e1');
    await t.enrol('e2', GRACE);
    assert.equal(await t.consume('e2', 0), false);
    assert.equal(await t.consume('unknown', 0), false);
    assert.equal((await t.factor()).recoveryCodesLeft, 10);
    assert.equal((await t.factor(GRACE)).recoveryCodesLeft, 10);
  },

  'replaces only the codes of the named user': async (t) => {
    const factor = await t.enrol('e1');
    await t.enrol('e2', GRACE);
    await t.consume('e1', 0);
    t.clock.advance(1000);
    assert.equal(await t.mfa.replaceRecoveryCodes(ADA, codeHashes('new', 8)), true);
    assert.deepEqual(await t.mfa.find(ADA), { ...factor, recoveryCodesLeft: 8 });
    assert.equal(await t.consume('e1', 1), false);
    assert.equal(await t.consume('new', 1), true);
    assert.equal((await t.factor(GRACE)).recoveryCodesLeft, 10);
  },

  'accepts an empty set of codes': async (t) => {
    const factor = await t.enrol('e1');
    assert.equal(await t.mfa.replaceRecoveryCodes(ADA, []), true);
    assert.deepEqual(await t.mfa.find(ADA), { ...factor, recoveryCodesLeft: 0 });
    await t.mfa.begin(GRACE, newEnrolment('e2'));
    const withoutCodes = { ...newConfirmation('e2'), recoveryCodeHashes: [] };
    assert.equal(await t.mfa.confirm(GRACE, withoutCodes), true);
    assert.equal((await t.factor(GRACE)).recoveryCodesLeft, 0);
  },

  'stores no codes for a user without a factor': async (t) => {
    assert.equal(await t.replaceCodes('new'), false);
    await t.begin('e1');
    assert.equal(await t.replaceCodes('new'), false);
    assert.equal(await t.consume('new', 0), false);
    assert.equal((await t.enrol('e1')).recoveryCodesLeft, 10);
    assert.equal(await t.consume('new', 0), false);
  },
});

import assert from 'node:assert/strict';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import {
  codeHash,
  codeHashes,
  enrol,
  factorOf,
  newConfirmation,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

export const recoveryCodes: Suite<MfaFixture> = {
  name: 'second factor: recovery codes',
  cases: {
    'consumes each code once and counts the remaining codes': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      for (const [i, hash] of codeHashes('e1').entries()) {
        assert.equal(await mfa.consumeRecoveryCode(ADA, hash), true);
        assert.equal(await mfa.consumeRecoveryCode(ADA, hash), false);
        assert.equal((await factorOf(mfa)).recoveryCodesLeft, 9 - i);
      }
    },

    'keeps the factor when the last code is used': async ({ mfa }) => {
      const factor = await enrol(mfa, 'e1');
      for (const hash of codeHashes('e1')) await mfa.consumeRecoveryCode(ADA, hash);
      assert.deepEqual(await mfa.find(ADA), { ...factor, recoveryCodesLeft: 0 });
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new')), true);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 10);
    },

    'rejects a code of another user without consuming it': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      await enrol(mfa, 'e2', GRACE);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e2', 0)), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('unknown', 0)), false);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 10);
      assert.equal((await factorOf(mfa, GRACE)).recoveryCodesLeft, 10);
    },

    'replaces only the codes of the named user': async ({ mfa, clock }) => {
      const factor = await enrol(mfa, 'e1');
      await enrol(mfa, 'e2', GRACE);
      await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0));
      clock.advance(1000);
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new', 8)), true);
      assert.deepEqual(await mfa.find(ADA), { ...factor, recoveryCodesLeft: 8 });
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 1)), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('new', 1)), true);
      assert.equal((await factorOf(mfa, GRACE)).recoveryCodesLeft, 10);
    },

    'accepts an empty set of codes': async ({ mfa }) => {
      const factor = await enrol(mfa, 'e1');
      assert.equal(await mfa.replaceRecoveryCodes(ADA, []), true);
      assert.deepEqual(await mfa.find(ADA), { ...factor, recoveryCodesLeft: 0 });
      await mfa.begin(GRACE, newEnrolment('e2'));
      const withoutCodes = { ...newConfirmation('e2'), recoveryCodeHashes: [] };
      assert.equal(await mfa.confirm(GRACE, withoutCodes), true);
      assert.equal((await factorOf(mfa, GRACE)).recoveryCodesLeft, 0);
    },

    'stores no codes for a user without a factor': async ({ mfa }) => {
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new')), false);
      await mfa.begin(ADA, newEnrolment('e1'));
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new')), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('new', 0)), false);
      assert.equal((await enrol(mfa, 'e1')).recoveryCodesLeft, 10);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('new', 0)), false);
    },
  },
};

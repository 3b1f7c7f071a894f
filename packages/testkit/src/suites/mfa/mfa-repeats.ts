import assert from 'node:assert/strict';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import {
  codeHash,
  codeHashes,
  ENROLLING,
  ENROLMENT_TTL_MS,
  enrol,
  factorOf,
  newConfirmation,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

/** A driver repeats a command after a dropped connection: the repetition changes nothing. */
export const mfaRepeats: Suite<MfaFixture> = {
  name: 'second factor: repeated commands',
  cases: {
    'does not extend an enrolment if begin() is repeated': async ({ mfa, clock }) => {
      await mfa.begin(ADA, newEnrolment('e1'));
      clock.advance(ENROLMENT_TTL_MS - 1);
      await mfa.begin(ADA, newEnrolment('e1'));
      assert.equal((await mfa.findPending(ADA, ENROLLING))?.enrolmentId, 'e1');
      clock.advance(1);
      assert.equal(await mfa.findPending(ADA, ENROLLING), null);
    },

    'does not revive a confirmed enrolment if begin() is repeated': async ({ mfa }) => {
      const factor = await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e1'));
      assert.equal(await mfa.findPending(ADA, ENROLLING), null);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1', 'others')), false);
      assert.deepEqual(await mfa.find(ADA), factor);
    },

    'returns true if confirm() is repeated, without reviving used codes': async ({
      mfa,
      clock,
    }) => {
      const factor = await enrol(mfa, 'e1');
      await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0));
      clock.advance(1000);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), true);
      assert.deepEqual(await mfa.find(ADA), { ...factor, recoveryCodesLeft: 9 });
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
    },

    'returns false if confirm() is repeated with other codes': async ({ mfa }) => {
      const factor = await enrol(mfa, 'e1');
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1', 'others')), false);
      assert.deepEqual(await mfa.find(ADA), factor);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('others', 0)), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), true);
    },

    'keeps replaced codes if confirm() is repeated': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      await mfa.replaceRecoveryCodes(ADA, codeHashes('new'));
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), true);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('new', 0)), true);
    },

    'does not revive a removed factor if confirm() is repeated': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      await mfa.remove(ADA);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), false);
      assert.equal(await mfa.find(ADA), null);
    },

    'keeps another pending enrolment if confirm() is repeated': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e2'));
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), true);
      assert.equal((await mfa.findPending(ADA, ENROLLING))?.enrolmentId, 'e2');
    },

    'revives no used code if replaceRecoveryCodes() is repeated': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new')), true);
      await mfa.consumeRecoveryCode(ADA, codeHash('new', 0));
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new')), true);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('new', 0)), false);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 9);
    },

    'revives no used code if replaceRecoveryCodes() repeats the codes of the confirmation': async ({
      mfa,
    }) => {
      await enrol(mfa, 'e1');
      await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0));
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('e1')), true);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 9);
    },

    'returns false if remove() is repeated': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      assert.equal(await mfa.remove(ADA), true);
      assert.equal(await mfa.remove(ADA), false);
      assert.equal(await mfa.find(ADA), null);
    },

    'keeps a newer factor if removeEnrolled() is repeated': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      assert.equal(await mfa.removeEnrolled(ADA, 'e1'), true);
      const factor = await enrol(mfa, 'e2');
      assert.equal(await mfa.removeEnrolled(ADA, 'e1'), false);
      assert.deepEqual(await mfa.find(ADA), factor);
    },
  },
};

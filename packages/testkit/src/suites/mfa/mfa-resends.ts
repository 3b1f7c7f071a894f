import assert from 'node:assert/strict';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import {
  codeHash,
  codeHashes,
  confirming,
  ENROLLING,
  ENROLMENT_TTL_MS,
  enrol,
  factorOf,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

/** A driver sends a command again after a dropped connection: what was done stays as it was done. */
export const mfaResends: Suite<MfaFixture> = {
  name: 'second factor: commands sent again',
  cases: {
    'an enrolment begun again is pending no longer than it was': async ({ mfa, clock }) => {
      await mfa.begin(ADA, newEnrolment('e1'));
      clock.advance(ENROLMENT_TTL_MS - 1);
      await mfa.begin(ADA, newEnrolment('e1'));
      assert.equal((await mfa.findPending(ADA, ENROLLING))?.enrolmentId, 'e1');
      clock.advance(1);
      assert.equal(await mfa.findPending(ADA, ENROLLING), null);
    },

    'an enrolment begun again after it was confirmed is not pending': async ({ mfa }) => {
      const factor = await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e1'));
      assert.equal(await mfa.findPending(ADA, ENROLLING), null);
      assert.equal(await mfa.confirm(ADA, confirming('e1', 'others')), false);
      assert.deepEqual(await mfa.find(ADA), factor);
    },

    'a confirmation sent again is answered like the first, and revives no used code': async ({
      mfa,
      clock,
    }) => {
      const factor = await enrol(mfa, 'e1');
      await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0));
      clock.advance(1000);
      assert.equal(await mfa.confirm(ADA, confirming('e1')), true);
      assert.deepEqual(await mfa.find(ADA), { ...factor, recoveryCodesLeft: 9 });
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
    },

    'a confirmation sent again with other codes is rejected': async ({ mfa }) => {
      const factor = await enrol(mfa, 'e1');
      assert.equal(await mfa.confirm(ADA, confirming('e1', 'others')), false);
      assert.deepEqual(await mfa.find(ADA), factor);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('others', 0)), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), true);
    },

    'a confirmation sent again after the codes were replaced leaves the new ones': async ({
      mfa,
    }) => {
      await enrol(mfa, 'e1');
      await mfa.replaceRecoveryCodes(ADA, codeHashes('new'));
      assert.equal(await mfa.confirm(ADA, confirming('e1')), true);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('new', 0)), true);
    },

    'a confirmation sent again after the factor was removed revives nothing': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      await mfa.remove(ADA);
      assert.equal(await mfa.confirm(ADA, confirming('e1')), false);
      assert.equal(await mfa.find(ADA), null);
    },

    'a confirmation sent again while another is pending leaves that one': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e2'));
      assert.equal(await mfa.confirm(ADA, confirming('e1')), true);
      assert.equal((await mfa.findPending(ADA, ENROLLING))?.enrolmentId, 'e2');
    },

    'codes replaced again revive none that was used': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new')), true);
      await mfa.consumeRecoveryCode(ADA, codeHash('new', 0));
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('new')), true);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('new', 0)), false);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 9);
    },

    'codes given again that came with the confirmation revive none that was used': async ({
      mfa,
    }) => {
      await enrol(mfa, 'e1');
      await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0));
      assert.equal(await mfa.replaceRecoveryCodes(ADA, codeHashes('e1')), true);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
      assert.equal((await factorOf(mfa)).recoveryCodesLeft, 9);
    },

    'a removal sent again finds nothing more to remove': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      assert.equal(await mfa.remove(ADA), true);
      assert.equal(await mfa.remove(ADA), false);
      assert.equal(await mfa.find(ADA), null);
    },

    'a removal by enrolment sent again spares the factor enrolled since': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      assert.equal(await mfa.removeEnrolled(ADA, 'e1'), true);
      const factor = await enrol(mfa, 'e2');
      assert.equal(await mfa.removeEnrolled(ADA, 'e1'), false);
      assert.deepEqual(await mfa.find(ADA), factor);
    },
  },
};

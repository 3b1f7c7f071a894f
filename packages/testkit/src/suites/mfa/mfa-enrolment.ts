import assert from 'node:assert/strict';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { ADA, DAY_MS, GRACE } from '../../samples/login-samples.ts';
import {
  codeHash,
  ENROLLING,
  ENROLMENT_TTL_MS,
  encryptedSecretOf,
  enrol,
  factorOf,
  newConfirmation,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

export const mfaEnrolment: Suite<MfaFixture> = {
  name: 'second factor: enrolment',
  cases: {
    'returns a begun enrolment as pending, with the storage time, but no factor': async ({
      mfa,
      clock,
    }) => {
      assert.equal(await mfa.findPending(ADA, ENROLLING), null);
      await mfa.begin(ADA, newEnrolment('e1'));
      const { enrolmentId, encryptedSecret } = newEnrolment('e1');
      clock.advance(1234);
      const pending = { enrolmentId, encryptedSecret, nowMs: clock.nowMs() };
      assert.deepEqual(await mfa.findPending(ADA, ENROLLING), pending);
      assert.equal(await mfa.find(ADA), null);
    },

    'turns a confirmed enrolment into the factor, with confirmedAtMs of the storage clock': async ({
      mfa,
      clock,
    }) => {
      await mfa.begin(ADA, newEnrolment('e1'));
      clock.advance(1234);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), true);
      const factor = await factorOf(mfa);
      assert.deepEqual(factor, {
        encryptedSecret: encryptedSecretOf('e1'),
        enrolmentId: 'e1',
        confirmedAtMs: clock.nowMs(),
        recoveryCodesLeft: 10,
      });
      assert.deepEqual(JSON.parse(JSON.stringify(factor)), factor);
      assert.equal(await mfa.findPending(ADA, ENROLLING), null);
    },

    'replaces a pending enrolment of the session': async ({ mfa, clock }) => {
      await mfa.begin(ADA, newEnrolment('e1'));
      clock.advance(ENROLMENT_TTL_MS - 1);
      await mfa.begin(ADA, newEnrolment('e2'));
      assert.equal((await mfa.findPending(ADA, ENROLLING))?.enrolmentId, 'e2');
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), false);
      assert.equal(await mfa.find(ADA), null);
      clock.advance(ENROLMENT_TTL_MS - 1);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e2')), true);
      assert.equal((await factorOf(mfa)).encryptedSecret, encryptedSecretOf('e2'));
    },

    'keeps one pending enrolment per session, found only by that session': async ({
      mfa,
      clock,
    }) => {
      await mfa.begin(ADA, newEnrolment('e1', 's1'));
      clock.advance(1000);
      await mfa.begin(ADA, newEnrolment('e2', 's2'));
      assert.equal((await mfa.findPending(ADA, 's1'))?.enrolmentId, 'e1');
      assert.equal((await mfa.findPending(ADA, 's2'))?.enrolmentId, 'e2');
      assert.equal(await mfa.findPending(ADA, 's3'), null);
      assert.equal(await mfa.findPending(GRACE, 's1'), null);
      await mfa.begin(ADA, newEnrolment('e3', 's2'));
      assert.equal((await mfa.findPending(ADA, 's1'))?.enrolmentId, 'e1');
      assert.equal((await mfa.findPending(ADA, 's2'))?.enrolmentId, 'e3');
      // Each enrolment has its own TTL.
      clock.advance(ENROLMENT_TTL_MS - 1000);
      assert.equal(await mfa.findPending(ADA, 's1'), null);
      assert.equal((await mfa.findPending(ADA, 's2'))?.enrolmentId, 'e3');
      await mfa.begin(ADA, newEnrolment('e4', 's3'));
      assert.equal(await mfa.findPending(ADA, 's1'), null);
      assert.equal((await mfa.findPending(ADA, 's2'))?.enrolmentId, 'e3');
    },

    'confirms an enrolment only for the session that began it': async ({ mfa }) => {
      await mfa.begin(ADA, newEnrolment('e1', 's1'));
      await mfa.begin(ADA, newEnrolment('e2', 's2'));
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1', 'stolen', 's2')), false);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1', 'stolen', 's3')), false);
      assert.equal(await mfa.find(ADA), null);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1', 'e1', 's1')), true);
      assert.equal((await factorOf(mfa)).encryptedSecret, encryptedSecretOf('e1'));
    },

    'drops pending enrolments of other sessions on a confirmation': async ({ mfa }) => {
      await mfa.begin(ADA, newEnrolment('e1', 's1'));
      await mfa.begin(ADA, newEnrolment('e2', 's2'));
      assert.equal(await mfa.confirm(ADA, newConfirmation('e2', 'e2', 's2')), true);
      for (const session of ['s1', 's2']) assert.equal(await mfa.findPending(ADA, session), null);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1', 'e1', 's1')), false);
      const { enrolmentId, recoveryCodesLeft } = await factorOf(mfa);
      assert.deepEqual([enrolmentId, recoveryCodesLeft], ['e2', 10]);
    },

    'keeps an enrolment pending only before ttlMs has passed': async ({ mfa, clock }) => {
      await mfa.begin(ADA, newEnrolment('e1'));
      clock.advance(ENROLMENT_TTL_MS - 1);
      assert.equal((await mfa.findPending(ADA, ENROLLING))?.enrolmentId, 'e1');
      clock.advance(1);
      assert.equal(await mfa.findPending(ADA, ENROLLING), null);
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), false);
      assert.equal(await mfa.find(ADA), null);
    },

    'confirms no enrolment that is not pending for the user': async ({ mfa }) => {
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), false);
      await mfa.begin(GRACE, newEnrolment('e1'));
      assert.equal(await mfa.confirm(ADA, newConfirmation('e1')), false);
      assert.equal(await mfa.confirm(GRACE, newConfirmation('e2')), false);
      for (const userId of [ADA, GRACE]) assert.equal(await mfa.find(userId), null);
    },

    'keeps an existing factor unchanged while another is pending': async ({ mfa, clock }) => {
      const factor = await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e2'));
      assert.deepEqual(await mfa.find(ADA), factor);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), true);
      clock.advance(ENROLMENT_TTL_MS);
      assert.deepEqual(await mfa.find(ADA), { ...factor, recoveryCodesLeft: 9 });
    },

    'replaces an older factor and all its codes': async ({ mfa, clock }) => {
      await enrol(mfa, 'e1');
      clock.advance(1000);
      assert.deepEqual(await enrol(mfa, 'e2'), {
        encryptedSecret: encryptedSecretOf('e2'),
        enrolmentId: 'e2',
        confirmedAtMs: clock.nowMs(),
        recoveryCodesLeft: 10,
      });
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), false);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e2', 0)), true);
    },

    'keeps a factor and its codes for ten years': async ({ mfa, clock }) => {
      const factor = await enrol(mfa, 'e1');
      for (let year = 0; year < 10; year += 1) {
        clock.advance(365 * DAY_MS);
        await enrol(mfa, `e${year}`, `user ${year}`);
      }
      assert.deepEqual(await mfa.find(ADA), factor);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), true);
    },

    'shows factor and enrolment on every connection': async ({ mfa, connections }) => {
      const factor = await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e2'));
      for (const other of await connections(2)) {
        assert.deepEqual(await other.find(ADA), factor);
        assert.equal((await other.findPending(ADA, ENROLLING))?.enrolmentId, 'e2');
      }
    },

    'keeps similar user ids apart': async ({ mfa }) => {
      for (const userId of AWKWARD_TEXTS) {
        await mfa.begin(userId, {
          ...newEnrolment('same'),
          encryptedSecret: `encrypted for ${userId}`,
        });
        assert.equal(await mfa.confirm(userId, newConfirmation('same')), true);
        await mfa.begin(userId, {
          ...newEnrolment('next'),
          encryptedSecret: `pending of ${userId}`,
        });
      }
      for (const userId of AWKWARD_TEXTS) {
        assert.equal((await mfa.find(userId))?.encryptedSecret, `encrypted for ${userId}`);
        assert.equal(
          (await mfa.findPending(userId, ENROLLING))?.encryptedSecret,
          `pending of ${userId}`,
        );
        assert.equal(await mfa.consumeRecoveryCode(userId, codeHash('same', 0)), true);
      }
    },
  },
};

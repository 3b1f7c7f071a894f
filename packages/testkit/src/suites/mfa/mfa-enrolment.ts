import assert from 'node:assert/strict';
import { mfaSuite } from '../../fixtures/mfa-fixture.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { ADA, DAY_MS, GRACE } from '../../samples/login-samples.ts';
import {
  codeHash,
  ENROLLING,
  ENROLMENT_TTL_MS,
  encryptedSecretOf,
  newConfirmation,
  newEnrolment,
} from '../../samples/mfa-samples.ts';

export const mfaEnrolment = mfaSuite('second factor: enrolment', {
  'returns a begun enrolment as pending, with the storage time, but no factor': async (t) => {
    assert.equal(await t.pending(), null);
    await t.begin('e1');
    const { enrolmentId, encryptedSecret } = newEnrolment('e1');
    t.clock.advance(1234);
    const pending = { enrolmentId, encryptedSecret, nowMs: t.clock.nowMs() };
    assert.deepEqual(await t.pending(), pending);
    assert.equal(await t.mfa.find(ADA), null);
  },

  'turns a confirmed enrolment into the factor, at the time of the storage': async (t) => {
    await t.begin('e1');
    t.clock.advance(1234);
    assert.equal(await t.confirm('e1'), true);
    const factor = await t.factor();
    assert.deepEqual(factor, {
      encryptedSecret: encryptedSecretOf('e1'),
      enrolmentId: 'e1',
      confirmedAtMs: t.clock.nowMs(),
      recoveryCodesLeft: 10,
    });
    assert.deepEqual(JSON.parse(JSON.stringify(factor)), factor);
    assert.equal(await t.pending(), null);
  },

  'replaces a pending enrolment of the session': async (t) => {
    await t.begin('e1');
    t.clock.advance(ENROLMENT_TTL_MS - 1);
    await t.begin('e2');
    assert.equal((await t.pending())?.enrolmentId, 'e2');
    assert.equal(await t.confirm('e1'), false);
    assert.equal(await t.mfa.find(ADA), null);
    t.clock.advance(ENROLMENT_TTL_MS - 1);
    assert.equal(await t.confirm('e2'), true);
    assert.equal((await t.factor()).encryptedSecret, encryptedSecretOf('e2'));
  },

  'keeps one pending enrolment per session, found only by that session': async (t) => {
    await t.begin('e1', 's1');
    t.clock.advance(1000);
    await t.begin('e2', 's2');
    assert.equal((await t.pending('s1'))?.enrolmentId, 'e1');
    assert.equal((await t.pending('s2'))?.enrolmentId, 'e2');
    // Neither another session nor another user finds them.
    assert.equal(await t.pending('s3'), null);
    assert.equal(await t.mfa.findPending(GRACE, 's1'), null);
    // Another enrolment replaces only that of its own session.
    await t.begin('e3', 's2');
    assert.equal((await t.pending('s1'))?.enrolmentId, 'e1');
    assert.equal((await t.pending('s2'))?.enrolmentId, 'e3');
    // Each enrolment has its own TTL.
    t.clock.advance(ENROLMENT_TTL_MS - 1000);
    assert.equal(await t.pending('s1'), null);
    assert.equal((await t.pending('s2'))?.enrolmentId, 'e3');
    // Nor does a new enrolment revive an expired one.
    await t.begin('e4', 's3');
    assert.equal(await t.pending('s1'), null);
    assert.equal((await t.pending('s2'))?.enrolmentId, 'e3');
  },

  'confirms an enrolment only for the session that began it': async (t) => {
    await t.begin('e1', 's1');
    await t.begin('e2', 's2');
    assert.equal(await t.confirm('e1', 'stolen', 's2'), false);
    assert.equal(await t.confirm('e1', 'stolen', 's3'), false);
    assert.equal(await t.mfa.find(ADA), null);
    assert.equal(await t.confirm('e1', 'e1', 's1'), true);
    assert.equal((await t.factor()).encryptedSecret, encryptedSecretOf('e1'));
  },

  'drops pending enrolments of other sessions on a confirmation': async (t) => {
    await t.begin('e1', 's1');
    await t.begin('e2', 's2');
    assert.equal(await t.confirm('e2', 'e2', 's2'), true);
    for (const session of ['s1', 's2']) assert.equal(await t.pending(session), null);
    assert.equal(await t.confirm('e1', 'e1', 's1'), false);
    const { enrolmentId, recoveryCodesLeft } = await t.factor();
    assert.deepEqual([enrolmentId, recoveryCodesLeft], ['e2', 10]);
  },

  'keeps an enrolment pending only before ttlMs has passed': async (t) => {
    await t.begin('e1');
    await t.elapseCheckingJustBefore(ENROLMENT_TTL_MS, async () =>
      assert.equal((await t.pending())?.enrolmentId, 'e1'),
    );
    assert.equal(await t.pending(), null);
    assert.equal(await t.confirm('e1'), false);
    assert.equal(await t.mfa.find(ADA), null);
  },

  'confirms no enrolment that is not pending for the user': async (t) => {
    assert.equal(await t.confirm('e1'), false);
    await t.mfa.begin(GRACE, newEnrolment('e1'));
    assert.equal(await t.confirm('e1'), false);
    assert.equal(await t.mfa.confirm(GRACE, newConfirmation('e2')), false);
    for (const userId of [ADA, GRACE]) assert.equal(await t.mfa.find(userId), null);
  },

  'keeps an existing factor unchanged while another is pending': async (t) => {
    const factor = await t.enrol('e1');
    await t.begin('e2');
    assert.deepEqual(await t.mfa.find(ADA), factor);
    assert.equal(await t.consume('e1', 0), true);
    t.clock.advance(ENROLMENT_TTL_MS);
    assert.deepEqual(await t.mfa.find(ADA), { ...factor, recoveryCodesLeft: 9 });
  },

  'replaces an older factor and all its codes': async (t) => {
    await t.enrol('e1');
    t.clock.advance(1000);
    assert.deepEqual(await t.enrol('e2'), {
      encryptedSecret: encryptedSecretOf('e2'),
      enrolmentId: 'e2',
      confirmedAtMs: t.clock.nowMs(),
      recoveryCodesLeft: 10,
    });
    assert.equal(await t.consume('e1', 0), false);
    assert.equal(await t.consume('e2', 0), true);
  },

  'keeps a factor and its codes for ten years': async (t) => {
    const factor = await t.enrol('e1');
    for (let year = 0; year < 10; year += 1) {
      t.clock.advance(365 * DAY_MS);
      // While it stores this factor, a storage may delete what has expired.
      await t.enrol(`e${year}`, `user ${year}`);
    }
    assert.deepEqual(await t.mfa.find(ADA), factor);
    assert.equal(await t.consume('e1', 0), true);
  },

  'shows factor and enrolment on every connection': async (t) => {
    const factor = await t.enrol('e1');
    await t.begin('e2');
    for (const other of await t.connections(2)) {
      assert.deepEqual(await other.mfa.find(ADA), factor);
      assert.equal((await other.pending())?.enrolmentId, 'e2');
    }
  },

  'keeps similar user ids apart': async (t) => {
    for (const userId of AWKWARD_TEXTS) {
      await t.mfa.begin(userId, {
        ...newEnrolment('same'),
        encryptedSecret: `encrypted for ${userId}`,
      });
      assert.equal(await t.mfa.confirm(userId, newConfirmation('same')), true);
      await t.mfa.begin(userId, {
        ...newEnrolment('next'),
        encryptedSecret: `pending of ${userId}`,
      });
    }
    for (const userId of AWKWARD_TEXTS) {
      assert.equal((await t.mfa.find(userId))?.encryptedSecret, `encrypted for ${userId}`);
      assert.equal(
        (await t.mfa.findPending(userId, ENROLLING))?.encryptedSecret,
        `pending of ${userId}`,
      );
      assert.equal(await t.mfa.consumeRecoveryCode(userId, codeHash('same', 0)), true);
    }
  },
});

import assert from 'node:assert/strict';
import { mfaSuite } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import { ENROLMENT_TTL_MS } from '../../samples/mfa-samples.ts';

/** A driver repeats a command after a dropped connection: the repetition changes nothing. */
export const mfaRepeats = mfaSuite('second factor: repeated commands', {
  'does not extend an enrolment if begin() is repeated': async (t) => {
    await t.begin('e1');
    t.clock.advance(ENROLMENT_TTL_MS - 1);
    await t.begin('e1');
    assert.equal((await t.pending())?.enrolmentId, 'e1');
    t.clock.advance(1);
    assert.equal(await t.pending(), null);
  },

  'does not revive a confirmed enrolment if begin() is repeated': async (t) => {
    const factor = await t.enrol('e1');
    await t.begin('e1');
    assert.equal(await t.pending(), null);
    assert.equal(await t.confirm('e1', 'others'), false);
    assert.deepEqual(await t.mfa.find(ADA), factor);
  },

  'returns true if confirm() is repeated, without reviving used or replaced codes': async (t) => {
    const factor = await t.enrol('e1');
    await t.consume('e1', 0);
    t.clock.advance(1000);
    assert.equal(await t.confirm('e1'), true);
    assert.deepEqual(await t.mfa.find(ADA), { ...factor, recoveryCodesLeft: 9 });
    assert.equal(await t.consume('e1', 0), false);
    await t.replaceCodes('new');
    assert.equal(await t.confirm('e1'), true);
    assert.equal(await t.consume('e1', 1), false);
    assert.equal(await t.consume('new', 0), true);
  },

  'returns false if confirm() is repeated with other codes': async (t) => {
    const factor = await t.enrol('e1');
    assert.equal(await t.confirm('e1', 'others'), false);
    assert.deepEqual(await t.mfa.find(ADA), factor);
    assert.equal(await t.consume('others', 0), false);
    assert.equal(await t.consume('e1', 0), true);
  },

  'does not revive a removed factor if confirm() is repeated': async (t) => {
    await t.enrol('e1');
    await t.mfa.remove(ADA);
    assert.equal(await t.confirm('e1'), false);
    assert.equal(await t.mfa.find(ADA), null);
  },

  'keeps another pending enrolment if confirm() is repeated': async (t) => {
    await t.enrol('e1');
    await t.begin('e2');
    assert.equal(await t.confirm('e1'), true);
    assert.equal((await t.pending())?.enrolmentId, 'e2');
  },

  'revives no used code if replaceRecoveryCodes() is repeated': async (t) => {
    await t.enrol('e1');
    assert.equal(await t.replaceCodes('new'), true);
    await t.consume('new', 0);
    assert.equal(await t.replaceCodes('new'), true);
    assert.equal(await t.consume('new', 0), false);
    assert.equal((await t.factor()).recoveryCodesLeft, 9);
  },

  'revives no used code if replaceRecoveryCodes() repeats those of confirm()': async (t) => {
    await t.enrol('e1');
    await t.consume('e1', 0);
    assert.equal(await t.replaceCodes('e1'), true);
    assert.equal(await t.consume('e1', 0), false);
    assert.equal((await t.factor()).recoveryCodesLeft, 9);
  },

  'keeps a newer factor if removeEnrolled() is repeated': async (t) => {
    await t.enrol('e1');
    assert.equal(await t.mfa.removeEnrolled(ADA, 'e1'), true);
    const factor = await t.enrol('e2');
    assert.equal(await t.mfa.removeEnrolled(ADA, 'e1'), false);
    assert.deepEqual(await t.mfa.find(ADA), factor);
  },
});

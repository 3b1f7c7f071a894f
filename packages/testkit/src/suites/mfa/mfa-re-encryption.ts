import assert from 'node:assert/strict';
import { assertSameItems, walkEncrypted } from '../../actions/walk-encrypted.ts';
import { mfaSuite } from '../../fixtures/mfa-fixture.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import { encryptedSecretOf, newEnrolment } from '../../samples/mfa-samples.ts';

const expected = encryptedSecretOf('e1');
const REPLACEMENT = { expected, replacement: 'reencrypted' };

export const mfaReencryption = mfaSuite('second factor: re-encryption', {
  'lists the secret of every user’s factor': async (t) => {
    const users = [...AWKWARD_TEXTS, ...Array.from({ length: 40 }, (_, i) => `user ${i}`)];
    for (const userId of users) await t.enrol('e1', userId);
    const factors = users.map((owner) => ({ owner, encrypted: expected }));
    for (const limit of [100, 7, 1]) assertSameItems(await walkEncrypted(t.mfa, limit), factors);
  },

  'continues after a page whose factors were all removed': async (t) => {
    const users = Array.from({ length: 40 }, (_, i) => `user ${i}`);
    for (const userId of users) await t.enrol('e1', userId);
    for (const userId of users.slice(8, 32)) await t.mfa.remove(userId);
    const remaining = [...users.slice(0, 8), ...users.slice(32)];
    const factors = remaining.map((owner) => ({ owner, encrypted: expected }));
    for (const limit of [7, 1]) assertSameItems(await walkEncrypted(t.mfa, limit), factors);
  },

  'lists no pending, removed or replaced secret': async (t) => {
    assertSameItems(await walkEncrypted(t.mfa, 10), []);
    await t.enrol('e1');
    await t.enrol('e2');
    await t.enrol('e1', GRACE);
    await t.mfa.remove(GRACE);
    await t.mfa.begin(GRACE, newEnrolment('e3'));
    assertSameItems(await walkEncrypted(t.mfa, 10), [
      { owner: ADA, encrypted: encryptedSecretOf('e2') },
    ]);
  },

  'replaces only the encrypted secret of the factor': async (t) => {
    const factor = await t.enrol('e1');
    const factorOfGrace = await t.enrol('e1', GRACE);
    t.clock.advance(1000);
    assert.equal(await t.mfa.replaceEncrypted(ADA, REPLACEMENT), true);
    assert.deepEqual(await t.factor(), { ...factor, encryptedSecret: 'reencrypted' });
    assert.deepEqual(await t.factor(GRACE), factorOfGrace);
    assert.equal(await t.consume('e1', 0), true);
  },

  'replaces no secret that differs from the expected secret': async (t) => {
    assert.equal(await t.mfa.replaceEncrypted(ADA, REPLACEMENT), false);
    assert.equal(await t.mfa.find(ADA), null);
    const factor = await t.enrol('e2');
    assert.equal(await t.mfa.replaceEncrypted(ADA, REPLACEMENT), false);
    assert.deepEqual(await t.factor(), factor);
  },

  'returns true if replaceEncrypted() is repeated': async (t) => {
    await t.enrol('e1');
    for (let call = 0; call < 2; call += 1) {
      assert.equal(await t.mfa.replaceEncrypted(ADA, REPLACEMENT), true);
    }
    assert.equal((await t.factor()).encryptedSecret, 'reencrypted');
  },

  'replaces a secret once under 50 parallel calls': async (t) => {
    await t.enrol('e1');
    const results = await t.inParallel(50, (connection, i) =>
      connection.mfa.replaceEncrypted(ADA, { expected, replacement: `reencrypted ${i}` }),
    );
    assert.deepEqual(
      results.flatMap((isReplaced, i) => (isReplaced ? [`reencrypted ${i}`] : [])),
      [(await t.factor()).encryptedSecret],
    );
  },
});

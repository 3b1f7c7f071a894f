import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { assertSameItems, walkEncrypted } from '../../actions/walk-encrypted.ts';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import {
  codeHash,
  encryptedSecretOf,
  enrol,
  factorOf,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

const PROCESSES = 8;

const expected = encryptedSecretOf('e1');

export const mfaReencryption: Suite<MfaFixture> = {
  name: 'second factor: re-encryption',
  cases: {
    'lists the secret of every user’s factor': async ({ mfa }) => {
      const users = [...AWKWARD_TEXTS, ...Array.from({ length: 40 }, (_, i) => `user ${i}`)];
      for (const userId of users) await enrol(mfa, 'e1', userId);
      const factors = users.map((owner) => ({ owner, encrypted: expected }));
      for (const limit of [100, 7, 1]) assertSameItems(await walkEncrypted(mfa, limit), factors);
    },

    'continues after a page whose factors were all removed': async ({ mfa }) => {
      const users = Array.from({ length: 40 }, (_, i) => `user ${i}`);
      for (const userId of users) await enrol(mfa, 'e1', userId);
      for (const userId of users.slice(8, 32)) await mfa.remove(userId);
      const remaining = [...users.slice(0, 8), ...users.slice(32)];
      const factors = remaining.map((owner) => ({ owner, encrypted: expected }));
      for (const limit of [7, 1]) assertSameItems(await walkEncrypted(mfa, limit), factors);
    },

    'lists no pending, removed or replaced secret': async ({ mfa }) => {
      assertSameItems(await walkEncrypted(mfa, 10), []);
      await enrol(mfa, 'e1');
      await enrol(mfa, 'e2');
      await enrol(mfa, 'e1', GRACE);
      await mfa.remove(GRACE);
      await mfa.begin(GRACE, newEnrolment('e3'));
      assertSameItems(await walkEncrypted(mfa, 10), [
        { owner: ADA, encrypted: encryptedSecretOf('e2') },
      ]);
    },

    'replaces only the encrypted secret of the factor': async ({ mfa, clock }) => {
      const factor = await enrol(mfa, 'e1');
      const factorOfGrace = await enrol(mfa, 'e1', GRACE);
      clock.advance(1000);
      assert.equal(await mfa.replaceEncrypted(ADA, { expected, replacement: 'reencrypted' }), true);
      assert.deepEqual(await factorOf(mfa), { ...factor, encryptedSecret: 'reencrypted' });
      assert.deepEqual(await factorOf(mfa, GRACE), factorOfGrace);
      assert.equal(await mfa.consumeRecoveryCode(ADA, codeHash('e1', 0)), true);
    },

    'replaces no secret that differs from the expected secret': async ({ mfa }) => {
      assert.equal(
        await mfa.replaceEncrypted(ADA, { expected, replacement: 'reencrypted' }),
        false,
      );
      assert.equal(await mfa.find(ADA), null);
      const factor = await enrol(mfa, 'e2');
      assert.equal(
        await mfa.replaceEncrypted(ADA, { expected, replacement: 'reencrypted' }),
        false,
      );
      assert.deepEqual(await factorOf(mfa), factor);
    },

    'returns true if replaceEncrypted() is repeated': async ({ mfa }) => {
      await enrol(mfa, 'e1');
      for (let call = 0; call < 2; call += 1) {
        assert.equal(
          await mfa.replaceEncrypted(ADA, { expected, replacement: 'reencrypted' }),
          true,
        );
      }
      assert.equal((await factorOf(mfa)).encryptedSecret, 'reencrypted');
    },

    'replaces a secret once under 50 parallel calls': async ({ mfa, connections }) => {
      await enrol(mfa, 'e1');
      const results = await inParallel(50, await connections(PROCESSES), (connection, i) =>
        connection.replaceEncrypted(ADA, { expected, replacement: `reencrypted ${i}` }),
      );
      assert.deepEqual(
        results.flatMap((isReplaced, i) => (isReplaced ? [`reencrypted ${i}`] : [])),
        [(await factorOf(mfa)).encryptedSecret],
      );
    },
  },
};

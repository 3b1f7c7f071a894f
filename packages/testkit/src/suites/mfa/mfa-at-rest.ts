import assert from 'node:assert/strict';
import { mfaSuite } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import { codeHash, codeHashes, encryptedSecretOf } from '../../samples/mfa-samples.ts';

/** The secrets and codes of the factor `e1` and the enrolment `e2`. */
const FORMER = [encryptedSecretOf('e1'), encryptedSecretOf('e2'), ...codeHashes('e1')];

/** Secrets and codes that a user can no longer use must not be at rest. */
export const mfaAtRest = mfaSuite(
  { name: 'second factor: secrets at rest', needs: 'dump' },
  {
    'keeps no secret or code of a removed factor': async (t) => {
      await t.enrol('e1');
      await t.begin('e2', 'another session');
      await t.mfa.remove(ADA);
      await assertNotAtRest(t.dump, FORMER);
    },

    'keeps no secret or code of a replaced factor or enrolment': async (t) => {
      await t.enrol('e1');
      await t.begin('e2', 'another session');
      await t.enrol('e3');
      await assertNotAtRest(t.dump, FORMER);
    },

    'keeps no used or replaced recovery code': async (t) => {
      await t.begin('e1');
      await t.confirm('e1');
      await t.consume('e1', 3);
      await assertNotAtRest(t.dump, [codeHash('e1', 3)]);
      await t.replaceCodes('new');
      await t.consume('new', 0);
      await assertNotAtRest(t.dump, [...codeHashes('e1'), codeHash('new', 0)]);
    },
  },
);

async function assertNotAtRest(
  dump: () => Promise<string>,
  texts: readonly string[],
): Promise<void> {
  const atRest = await dump();
  for (const [index, text] of texts.entries()) {
    const forms = [text, JSON.stringify(text).slice(1, -1)];
    assert.ok(!forms.some((form) => atRest.includes(form)), `text ${index} is still at rest`);
  }
}

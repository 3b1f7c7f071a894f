import assert from 'node:assert/strict';
import type { MfaFixture } from '../../fixtures/mfa-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import {
  codeHash,
  codeHashes,
  encryptedSecretOf,
  enrol,
  newConfirmation,
  newEnrolment,
} from '../../samples/mfa-samples.ts';
import type { Suite } from '../../suite.ts';

/** Secrets and codes that a user can no longer use must not be at rest. */
export const mfaAtRest: Suite<MfaFixture> = {
  name: 'second factor: secrets at rest',
  needs: 'dump',
  cases: {
    'keeps no secret or code of a removed factor': async ({ mfa, dump }) => {
      await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e2', 'another session'));
      await mfa.remove(ADA);
      const hashes = codeHashes('e1');
      await assertNotAtRest(dump, [encryptedSecretOf('e1'), encryptedSecretOf('e2'), ...hashes]);
    },

    'keeps no secret or code of a replaced factor or enrolment': async ({ mfa, dump }) => {
      await enrol(mfa, 'e1');
      await mfa.begin(ADA, newEnrolment('e2', 'another session'));
      await enrol(mfa, 'e3');
      const hashes = codeHashes('e1');
      await assertNotAtRest(dump, [encryptedSecretOf('e1'), encryptedSecretOf('e2'), ...hashes]);
    },

    'keeps no used or replaced recovery code': async ({ mfa, dump }) => {
      await mfa.begin(ADA, newEnrolment('e1'));
      await mfa.confirm(ADA, newConfirmation('e1'));
      await mfa.consumeRecoveryCode(ADA, codeHash('e1', 3));
      await assertNotAtRest(dump, [codeHash('e1', 3)]);
      await mfa.replaceRecoveryCodes(ADA, codeHashes('new'));
      await mfa.consumeRecoveryCode(ADA, codeHash('new', 0));
      await assertNotAtRest(dump, [...codeHashes('e1'), codeHash('new', 0)]);
    },
  },
};

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
